import type { StudioHomepage } from '#contract/studio/homepage.ts'
import { Button } from '#web/ui/Button.tsx'
import { formatTime } from '#web/studio/format.ts'
import { useOperatorSession } from '#web/studio/session-queries.ts'
import { useTexts } from '#web/studio/texts.ts'
import styles from './homepage.module.css'

/**
 * Shows who has published the homepage since it was opened, and when. The draft stays until the operator chooses a
 * version.
 */
export function HomepageConflict({
  theirs,
  opened,
  busy,
  canPublish,
  onTheirs,
  onMine,
}: {
  theirs: StudioHomepage
  /** The homepage on which the draft is based. */
  opened: StudioHomepage
  busy: boolean
  canPublish: boolean
  onTheirs: () => void
  onMine: () => void
}) {
  const { t, language } = useTexts()
  const { email } = useOperatorSession().operator
  const { published } = theirs
  // The homepage may have changed without a publication, for example because a category was added.
  const isByOther =
    published?.operator && published.operator !== email && published.at !== opened.published?.at
  return (
    <div role="alert" className={styles.conflict}>
      <p>
        {isByOther
          ? t('homepage.publishedByOther', {
              operator: published.operator ?? '',
              time: formatTime(published.at, language),
            })
          : t('homepage.changedMeanwhile')}
      </p>
      <p>{t('homepage.chooseVersion')}</p>
      <div className={styles.actions}>
        <Button variant="quiet" disabled={busy} onClick={onTheirs}>
          {t('homepage.useTheirs')}
        </Button>
        <Button variant="danger" disabled={busy || !canPublish} onClick={onMine}>
          {t('homepage.publishMine')}
        </Button>
      </div>
    </div>
  )
}
