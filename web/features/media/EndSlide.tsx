import '#web/i18n/search.ts'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, type ReactNode } from 'react'
import { Link } from 'react-router'
import type { VideoCard } from '#contract/catalog.ts'
import { Card, Cover } from '#web/features/catalog/Card.tsx'
import { homepageQuery, videoQuery } from '#web/features/catalog/queries.ts'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { paths } from '#web/lib/paths.ts'
import { Button, buttonClass } from '#web/ui/Button.tsx'
import { Icon } from '#web/ui/Icon.tsx'
import { episodesQuery } from './queries.ts'
import { useCountdown } from './use-countdown.ts'
import styles from './end-slide.module.css'

interface EndSlideProps {
  /** Related dramas. The first drama plays next. */
  related: VideoCard[]
  /** Whether more episodes of this drama will be released. */
  hasMoreEpisodes: boolean
  active: boolean
  /** Whether the next drama starts automatically. False if the last episode is locked. */
  autoPlaysNext: boolean
  back: ReactNode
  onReplay: () => void
  onNext: () => void
}

/**
 * The slide after a drama's last episode. Starts the next drama after a countdown that the viewer can stop; a button
 * replays the episode.
 */
export function EndSlide({
  related,
  hasMoreEpisodes,
  active,
  autoPlaysNext,
  back,
  onReplay,
  onNext,
}: EndSlideProps) {
  const { t } = useTranslation()
  const [next, ...others] = related
  const feed = useQuery(homepageQuery).data?.feed
  usePrefetch(next?.id, active)
  const title = t(hasMoreEpisodes ? 'end.continues' : 'end.title')
  return (
    <section className={styles.slide} aria-label={title}>
      <NextCover video={next} />
      <div className={styles.top}>{active && back}</div>
      <div className={styles.content}>
        <div className={styles.words}>
          <h2>{title}</h2>
          {hasMoreEpisodes && <p>{t('end.continuesText')}</p>}
          {next && (
            // The key remounts the countdown when the viewer reaches the slide, so that it starts then.
            <UpNext
              key={String(active)}
              video={next}
              active={active}
              autoPlaysNext={autoPlaysNext}
              onNext={onNext}
            />
          )}
          <div className={styles.buttons}>
            <Button variant="quiet" onClick={onReplay}>
              <Icon name="play" size={18} /> {t('end.replay')}
            </Button>
            {feed && (
              <Link className={buttonClass('quiet')} to={paths.more.feed(feed)}>
                {t('feed.name')}
              </Link>
            )}
            <Link className={buttonClass('quiet')} to={paths.home.to()}>
              {t('list.browseDramas')}
            </Link>
          </div>
        </div>
        {others.length > 0 && (
          <ul className={styles.related} aria-label={t('video.related')}>
            {others.map((video) => (
              <li key={video.id}>
                <Card video={video} />
              </li>
            ))}
          </ul>
        )}
      </div>
    </section>
  )
}

/** The slide after the end slide: opens the next drama when it is almost fully visible. */
export function NextDrama({ video, onOpen }: { video: VideoCard; onOpen: () => void }) {
  const slide = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (!slide.current) return undefined
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && onOpen(), {
      threshold: 0.9,
    })
    observer.observe(slide.current)
    return () => observer.disconnect()
  }, [onOpen])
  return (
    <div ref={slide} className={styles.slide}>
      <NextCover video={video} />
    </div>
  )
}

const countdownSeconds = 8

interface UpNextProps extends Pick<EndSlideProps, 'active' | 'autoPlaysNext' | 'onNext'> {
  video: VideoCard
}

/**
 * The next drama. Its countdown is visible even before the viewer reaches the slide, so that nothing moves when it
 * starts.
 */
function UpNext({ video, active, autoPlaysNext, onNext }: UpNextProps) {
  const { t } = useTranslation()
  const countdown = useCountdown(active && autoPlaysNext ? countdownSeconds : null, onNext)
  const seconds = autoPlaysNext && !active ? countdownSeconds : countdown.seconds
  return (
    <div className={styles.next}>
      <div className={styles.poster}>
        <Cover video={video} eager />
      </div>
      <div className={styles.about}>
        <p>{t('end.next')}</p>
        <h3>{video.title}</h3>
        <p>{t('card.episodes', { count: video.episode_count })}</p>
        <p role="timer">{seconds === null ? '' : t('end.countdown', { count: seconds })}</p>
        <div className={styles.buttons}>
          <Button onClick={onNext}>{t('end.play')}</Button>
          {seconds !== null && (
            <Button variant="quiet" onClick={countdown.stop}>
              {t('end.stop')}
            </Button>
          )}
        </div>
      </div>
    </div>
  )
}

function NextCover({ video }: { video: VideoCard | undefined }) {
  const cover = video?.cover_url ? { backgroundImage: `url("${video.cover_url}")` } : {}
  return <div className={styles.cover} style={cover} />
}

/** Prefetches the data of the next drama's page. */
function usePrefetch(id: string | undefined, active: boolean): void {
  const queryClient = useQueryClient()
  useEffect(() => {
    if (!active || id === undefined) return
    void queryClient.prefetchQuery(videoQuery(id))
    void queryClient.prefetchQuery(episodesQuery(id))
  }, [active, id, queryClient])
}
