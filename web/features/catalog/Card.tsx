import { useTranslation } from '#web/i18n/use-translation.ts'
import { Link } from 'react-router'
import type { VideoCard } from '#contract/catalog.ts'
import { formatPercent, formatShortCount } from '#web/lib/format.ts'
import { paths } from '#web/lib/paths.ts'
import { LazyImage } from '#web/ui/LazyImage.tsx'
import styles from './card.module.css'

interface CardProps {
  video: VideoCard
  /** The position in a ranking, from 1. */
  rank?: number
  /** Shown below the title instead of the counts. */
  note?: string
  episode?: number
  /** Fraction of the episode that was watched, 0 to 1. */
  watched?: number
}

export function Card({ video, rank, note, episode, watched }: CardProps) {
  const { t } = useTranslation()
  return (
    <Link to={paths.video.to(video.id, episode)} className={styles.card}>
      <div className={styles.frame}>
        <Cover video={video} />
        {video.badge && <span className={styles.badge}>{t(`card.${video.badge}`)}</span>}
        {rank !== undefined && <span className={styles.place}>{rank}</span>}
        {video.progress !== undefined && video.progress < 100 && (
          <span className={styles.making}>
            {t('card.processing', { progress: formatPercent(video.progress) })}
            <progress max={100} value={video.progress} aria-hidden="true" />
          </span>
        )}
        {watched !== undefined && (
          <progress className={styles.watched} max={1} value={watched} aria-hidden="true" />
        )}
      </div>
      <p className={styles.title}>{video.title}</p>
      <p className={styles.counts}>
        {note ?? (
          <>
            <span>{t('card.episodes', { count: video.episode_count })}</span>
            {video.play_count > 0 && <PlayCount count={video.play_count} />}
          </>
        )}
      </p>
    </Link>
  )
}

function PlayCount({ count }: { count: number }) {
  const { t } = useTranslation()
  const plays = formatShortCount(count)
  return (
    <span aria-label={t('card.plays', { plays, count })} role="img">
      <span aria-hidden="true">▶</span> {plays}
    </span>
  )
}

/** The poster of a video. The video's colour fills its frame until the image has loaded. */
export function Cover({ video, eager }: { video: VideoCard; eager?: boolean }) {
  return (
    <div className={styles.cover} style={{ background: video.cover_color }}>
      {video.cover_url && <LazyImage src={video.cover_url} eager={eager} width={3} height={4} />}
    </div>
  )
}

export function CardSkeleton() {
  return (
    <div className={styles.card} aria-hidden="true">
      <div className={styles.frame} />
      <div className={styles.title} />
      <div className={styles.counts} />
    </div>
  )
}
