import { CouldNotLoad } from '#web/ui/CouldNotLoad.tsx'
import { useTexts } from './texts.ts'
import { Page } from './ui/Page.tsx'

/** Replaces a screen that crashed; the rest of the studio keeps working. */
export function Failed() {
  const { t } = useTexts()
  return (
    <Page title={t('desk.broken')}>
      <CouldNotLoad text={t('desk.brokenText')} onRetry={() => location.reload()} />
    </Page>
  )
}
