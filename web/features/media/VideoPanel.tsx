import { useTranslation } from '#web/i18n/use-translation.ts'
import type { ReactNode } from 'react'
import type { Video } from '#contract/catalog.ts'
import { formatShortCount } from '#web/lib/format.ts'
import styles from './video-panel.module.css'

/** A video's details: synopsis, episodes, and similar dramas. */
export function VideoPanel({
  video,
  heading,
  episodes,
  related,
}: {
  video: Video
  /** Whether to show the title; a sheet already shows it. */
  heading: boolean
  episodes: ReactNode
  related: ReactNode
}) {
  const { t } = useTranslation()
  return (
    <div className={styles.panel}>
      {heading && <h1 className={styles.title}>{video.title}</h1>}
      <p className={styles.facts}>
        {[
          video.category?.name,
          t('card.episodes', { count: video.episode_count }),
          t('card.plays', { plays: formatShortCount(video.play_count), count: video.play_count }),
        ]
          .filter(Boolean)
          .join(' · ')}
      </p>
      <p className={styles.synopsis}>{video.synopsis}</p>
      <h2>{t('video.episodes')}</h2>
      {episodes}
      {video.related.length > 0 && (
        <>
          <h2>{t('video.related')}</h2>
          {related}
        </>
      )}
    </div>
  )
}
