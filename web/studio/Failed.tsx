import { CouldNotLoad } from '#web/ui/CouldNotLoad.tsx'
import { useTexts } from './texts.ts'
import { Page } from './ui/Page.tsx'

/** Stands where a screen broke; the rest of the studio goes on. */
export function Failed() {
  const { t } = useTexts()
  return (
    <Page title={t('desk.broken')}>
      <CouldNotLoad text={t('desk.brokenText')} onRetry={() => location.reload()} />
    </Page>
  )
}
