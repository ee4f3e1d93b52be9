import { addOperator, listAuditEvents } from '#contract/studio/operators.ts'
import { usePermissions } from '#web/studio/session-queries.ts'
import { useTexts } from '#web/studio/texts.ts'
import { Page, Panel } from '#web/studio/ui/Page.tsx'
import { AuditLog } from './AuditLog.tsx'
import { InviteForm } from './InviteForm.tsx'
import { Operators } from './Operators.tsx'

/** The team area: the operators and the audit log. */
export function Component() {
  const { t } = useTexts()
  const isAllowed = usePermissions()
  return (
    <Page title={t('team.title')} lead={t(isAllowed(addOperator) ? 'team.lead' : 'team.leadReadOnly')}>
      <Operators />
      {isAllowed(addOperator) && (
        <Panel title={t('team.add')}>
          <InviteForm />
        </Panel>
      )}
      {isAllowed(listAuditEvents) && (
        <Panel title={t('team.audit')}>
          <AuditLog />
        </Panel>
      )}
    </Page>
  )
}
