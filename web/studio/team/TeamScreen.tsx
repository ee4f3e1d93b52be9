import { addOperator, listAudit } from '#contract/studio/operators.ts'
import { useMay } from '#web/studio/queries.ts'
import { useTexts } from '#web/studio/texts.ts'
import { Page, Panel } from '#web/studio/ui/Page.tsx'
import { AuditTrail } from './AuditTrail.tsx'
import { InviteForm } from './InviteForm.tsx'
import { Operators } from './Operators.tsx'

/** The operators and the audit trail. */
export function Component() {
  const { t } = useTexts()
  const may = useMay()
  return (
    <Page title={t('team.title')} lead={t(may(addOperator) ? 'team.lead' : 'team.leadOfOthers')}>
      <Operators />
      {may(addOperator) && (
        <Panel title={t('team.add')}>
          <InviteForm />
        </Panel>
      )}
      {may(listAudit) && (
        <Panel title={t('team.audit')}>
          <AuditTrail />
        </Panel>
      )}
    </Page>
  )
}
