import { listAbandonedMails } from '#contract/studio/system.ts'
import { usePermissions } from '#web/studio/session-queries.ts'
import { useTexts } from '#web/studio/texts.ts'
import { Page, Panel } from '#web/studio/ui/Page.tsx'
import { BackupCommands } from './BackupCommands.tsx'
import { FailedFiles } from './FailedFiles.tsx'
import { AbandonedMails } from './AbandonedMails.tsx'
import { Health } from './Health.tsx'
import { Jobs } from './Jobs.tsx'

/** System status: health checks, failed uploads, abandoned e-mails and jobs. */
export function Component() {
  const { t } = useTexts()
  const isAllowed = usePermissions()
  return (
    <Page title={t('system.title')} lead={t('system.lead')}>
      <Health />
      <Panel title={t('system.files')}>
        <FailedFiles />
      </Panel>
      {isAllowed(listAbandonedMails) && (
        <Panel title={t('system.mails')}>
          <AbandonedMails />
        </Panel>
      )}
      <Panel title={t('system.jobs')}>
        <Jobs />
      </Panel>
      <Panel title={t('system.backup')}>
        <BackupCommands />
      </Panel>
    </Page>
  )
}
