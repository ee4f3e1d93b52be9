import { useQuery } from '@tanstack/react-query'
import { getBackupCommands } from '#contract/studio/system.ts'
import { call } from '#web/lib/api.ts'
import { LoadError } from '#web/ui/LoadError.tsx'
import { useTexts } from '#web/studio/texts.ts'
import styles from './system.module.css'

/** The command lines that back up and restore the site. */
export function BackupCommands() {
  const { t } = useTexts()
  const commands = useQuery({
    queryKey: ['backup commands'],
    queryFn: ({ signal }) => call(getBackupCommands, { signal }),
    staleTime: Infinity,
  })
  if (commands.isError) return <LoadError onRetry={() => void commands.refetch()} />
  return (
    <>
      <p>{t('system.backupText')}</p>
      <code className={styles.command}>{commands.data?.backup ?? '…'}</code>
      <p>{t('system.restoreText')}</p>
      <code className={styles.command}>{commands.data?.restore ?? '…'}</code>
    </>
  )
}
