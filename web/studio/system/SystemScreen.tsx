import { listAbandonedMails } from '#contract/studio/system.ts'
import { useOperatorSession, usePermissions } from '#web/studio/session-queries.ts'
import { useTexts } from '#web/studio/texts.ts'
import { Page, Panel } from '#web/studio/ui/Page.tsx'
import { FailedFiles } from './FailedFiles.tsx'
import { AbandonedMails } from './AbandonedMails.tsx'
import { Health } from './Health.tsx'
import { Jobs } from './Jobs.tsx'
import styles from './system.module.css'

/** System status: health checks, failed uploads, abandoned e-mails and jobs. */
export function Component() {
  const { t } = useTexts()
  const isAllowed = usePermissions()
  const { commands } = useOperatorSession()
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
        <p>{t('system.backupText')}</p>
        <code className={styles.command}>{commands.backup}</code>
        <p>{t('system.restoreText')}</p>
        <code className={styles.command}>{commands.restore}</code>
      </Panel>
    </Page>
  )
}
