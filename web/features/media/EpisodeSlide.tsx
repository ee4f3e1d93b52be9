import { useQuery } from '@tanstack/react-query'
import { useCallback, useEffect, useState, type ReactNode } from 'react'
import { useTranslation } from '#web/i18n/use-translation.ts'
import type { Offer } from '#contract/billing.ts'
import type { Episode } from '#contract/media.ts'
import type { SlideTools } from '#web/player/ui/FeedPlayer.tsx'
import { VideoSlide } from '#web/player/ui/VideoSlide.tsx'
import type { VideoSlideProps } from '#web/player/ui/video-slide-props.ts'
import { formatPercent } from '#web/lib/format.ts'
import { prefetchPlaylists } from '#web/player/engine/prefetch-playlists.ts'
import { LoadError } from '#web/ui/LoadError.tsx'
import { playbackQuery } from './queries.ts'
import styles from './episode-slide.module.css'

type SlidePageProps = Pick<
  VideoSlideProps,
  'active' | 'title' | 'startMs' | 'rail' | 'back' | 'onDoubleTap' | 'onEnded' | 'onState'
>

interface EpisodeSlideProps extends SlidePageProps {
  episode: Episode
  /** True while this slide's stream must wait, because the episode on screen has not buffered enough. */
  deferLoading: boolean
  tools: SlideTools
  /**
   * A button that opens the list of episodes, for slides without the rail. The rail of a playing episode already has
   * this button.
   */
  list?: ReactNode
  /**
   * Called as soon as the episode is known to be locked, so that the paywall's code loads before the slide is on
   * screen.
   */
  onLocked: () => void
  /**
   * Called if the episode has become ready since the list of episodes was fetched, and once more if the list still
   * says that it is not ready.
   */
  onReady: () => void
  /** Renders the paywall over a locked episode's still image. */
  renderLocked: (offer: Offer) => ReactNode
}

/** Longer than the server caches the list of episodes (a second). */
const secondRequestMs = 1_500

/** The slide of one episode: playable, locked or in processing. */
export function EpisodeSlide({
  episode,
  deferLoading,
  tools,
  list,
  onLocked,
  onReady,
  renderLocked,
  ...page
}: EpisodeSlideProps) {
  const { t } = useTranslation()
  const { data, isError, refetch } = useQuery(playbackQuery(episode.id))
  const refetchEpisode = useCallback(() => void refetch({ cancelRefetch: false }), [refetch])
  // An open stream stays open, even if `deferLoading` becomes true again.
  const [isOpen, setOpen] = useState(!deferLoading)
  if (!deferLoading && !isOpen) setOpen(true)
  const url = data?.kind === 'playable' ? data.playable.playback.hls_url : undefined
  useEffect(() => {
    if (isOpen || url === undefined) return
    const prefetching = new AbortController()
    void prefetchPlaylists(url, prefetching.signal)
    return () => prefetching.abort()
  }, [isOpen, url])
  const isLocked = data?.kind === 'locked'
  useEffect(() => {
    if (isLocked) onLocked()
  }, [isLocked, onLocked])
  const hasBecomeReady = data !== undefined && data.kind !== 'making' && !episode.ready
  useEffect(() => {
    if (!hasBecomeReady) return
    onReady()
    // The first answer may be a cached list from before the episode was ready.
    const timer = setTimeout(onReady, secondRequestMs)
    return () => clearTimeout(timer)
  }, [hasBecomeReady, onReady])
  const still = episode.thumb_url ? { backgroundImage: `url("${episode.thumb_url}")` } : {}

  if (data?.kind === 'playable' && isOpen)
    return (
      <VideoSlide
        {...page}
        {...tools}
        episodeId={episode.id}
        source={data.playable.playback}
        subtitle={
          t('video.episode', { number: episode.number }) + (episode.title ? ` · ${episode.title}` : '')
        }
        onExpiring={refetchEpisode}
      />
    )
  return (
    <div className={styles.slide}>
      <div className={styles.still} style={still} data-sharp={episode.state !== 'locked'} />
      {page.active && (
        <div className={styles.top}>
          {page.back}
          {list}
        </div>
      )}
      {/* If the refetch failed, the offer may be outdated (for example already paid), so it is inert. */}
      {isLocked && page.active && (
        <div className={styles.offer} inert={isError}>
          {renderLocked(data.offer)}
        </div>
      )}
      {data?.kind === 'making' && <Processing progress={data.progress} state={episode.state} />}
      {isError && (!data || isLocked) && (
        <div className={styles.middle}>
          <LoadError text={t('video.failed')} onRetry={refetchEpisode} />
        </div>
      )}
    </div>
  )
}

function Processing({ progress, state }: { progress: number; state: Episode['state'] }) {
  const { t } = useTranslation()
  return (
    <div className={styles.middle} role="status">
      <h2>{t('video.processing')}</h2>
      <p>{t(state === 'locked' ? 'video.processingLocked' : 'video.processingText')}</p>
      <progress className={styles.progress} max={100} value={progress} aria-label={t('video.processing')} />
      <p>{formatPercent(progress)}</p>
    </div>
  )
}
