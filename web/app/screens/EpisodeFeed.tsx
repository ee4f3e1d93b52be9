import { useQueryClient } from '@tanstack/react-query'
import { lazy, Suspense, useCallback, useEffect, useState, type CSSProperties, type ReactNode } from 'react'
import { useNavigate } from 'react-router'
import type { Video } from '#contract/catalog.ts'
import type { Episode } from '#contract/media.ts'
import { useProgress } from '#web/features/library/use-progress.ts'
import { EpisodeSlide } from '#web/features/media/EpisodeSlide.tsx'
import { episodesQuery } from '#web/features/media/queries.ts'
import { withTexts } from '#web/i18n/with-texts.ts'
import { paths } from '#web/lib/paths.ts'
import { settings } from '#web/lib/settings.ts'
import { readRecord } from '#web/lib/storage.ts'
import { FeedPlayer } from '#web/player/ui/FeedPlayer.tsx'
import type { VideoState } from '#web/player/engine/video-state.ts'
import { useAutoNext } from './use-auto-next.ts'
import { useStableCallback } from './use-stable-callback.ts'
import { usePreloadNeighbours } from './use-preload-neighbours.ts'
import { useAspectRatio } from './use-aspect-ratio.ts'
import styles from './video-screen.module.css'

// Loaded on demand, because most visits reach no locked episode.
const importPayPanel = () => {
  const loading = import('#web/features/billing/paywall/PayPanel.tsx')
  return settings.balance ? withTexts('balance', loading) : loading
}
const PayPanel = lazy(async () => ({ default: (await importPayPanel()).PayPanel }))
const preloadPayPanel = () => void importPayPanel().catch(() => {})

// Loaded after the first frames, long before the last episode has ended.
const importEndSlide = () => withTexts('search', import('#web/features/media/EndSlide.tsx'))
const EndSlide = lazy(async () => ({ default: (await importEndSlide()).EndSlide }))
const NextDrama = lazy(async () => ({ default: (await importEndSlide()).NextDrama }))

// Loaded on demand, because most viewers have already seen the hint.
const SwipeHint = lazy(() =>
  import('#web/player/ui/SwipeHint.tsx').then(
    ({ SwipeHint }) => ({ default: SwipeHint }),
    () => ({ default: () => <></> }),
  ),
)
const needsSwipeHint = () => matchMedia('(pointer: coarse)').matches && !readRecord<boolean>('swipe-hint')

/** The viewer's position in a drama. */
export interface EpisodePosition {
  /** The episode's number. */
  number: number
  /** True if the slide after the last episode is on screen. */
  atEnd: boolean
  /** Returns false if the viewer has already chosen another slide that is not rendered yet. */
  isLatest: () => boolean
  /** Shows an episode or, without a number, the slide after the last episode. */
  choose: (number?: number) => void
}

interface EpisodeFeedProps {
  video: Video
  episodes: Episode[]
  position: EpisodePosition
  rail: ReactNode
  /**
   * A button that opens the list of episodes, for slides without the rail. The rail of a playing episode already has
   * this button.
   */
  list: ReactNode
  back: ReactNode
  onDoubleTap: () => void
}

/**
 * The feed of a video's episodes. Plays them, continues with the next episode, saves the position, and shows the
 * paywall of locked episodes.
 */
export function EpisodeFeed(props: EpisodeFeedProps) {
  const { video, episodes, position, rail, list, back, onDoubleTap } = props
  const { number, atEnd } = position
  const index = atEnd ? episodes.length : episodes.findIndex((episode) => episode.number === number)
  const episode = episodes[index]
  const [nextDrama] = video.related
  const openNext = useOpenDrama(nextDrama?.id)
  const progress = useProgress(video.id)
  const neighbours = usePreloadNeighbours(episode?.id)
  const onPaid = useRefetchAfterPayment(video.id)
  const refetchEpisodes = useRefetchEpisodes(video.id)
  const goTo = (next: number) => {
    progress.flush()
    position.choose(episodes[next]?.number)
  }
  const onState = (state: VideoState) => {
    if (!episode || !state.started) return
    neighbours.follow(state)
    if (!state.paused) progress.report({ videoId: video.id, episodeId: episode.id, positionMs: state.timeMs })
    else progress.flush()
  }
  const onLatestState = useStableCallback(onState)
  const autoNext = useAutoNext(episode?.id, () => goTo(index + 1))
  const aspectRatio = useAspectRatio(episode?.id)
  const [hintEpisode] = useState(() => needsSwipeHint() && number)
  // Loaded after the episode has buffered enough, so that it does not delay the next episode after a quick swipe.
  useEffect(() => {
    if (neighbours.canPreload) void importEndSlide().catch(() => {})
  }, [neighbours.canPreload])
  return (
    <div className={styles.stage} style={{ '--shape': aspectRatio } as CSSProperties}>
      <FeedPlayer
        // The episodes are followed by the end slide and the slide of the next drama.
        count={episodes.length + (nextDrama ? 2 : 1)}
        index={index}
        onIndex={goTo}
        isLatest={position.isLatest}
        label={video.title}
        renderSlide={(i, tools) => {
          const shown = episodes[i]
          if (!shown && i > episodes.length)
            return (
              nextDrama && (
                <Suspense>
                  <NextDrama video={nextDrama} onOpen={openNext} />
                </Suspense>
              )
            )
          if (!shown)
            return (
              <Suspense>
                <EndSlide
                  related={video.related}
                  hasMoreEpisodes={episodes.some(({ ready }) => !ready)}
                  active={atEnd}
                  autoPlaysNext={episodes.at(-1)?.state !== 'locked'}
                  back={back}
                  onReplay={() => goTo(episodes.length - 1)}
                  onNext={openNext}
                />
              </Suspense>
            )
          return (
            <EpisodeSlide
              key={shown.id}
              episode={shown}
              active={i === index}
              deferLoading={i !== index && !neighbours.canPreload}
              title={video.title}
              startMs={progress.startPositionOf(shown.id, shown.duration_ms, video.resume)}
              rail={rail}
              list={list}
              back={back}
              onDoubleTap={onDoubleTap}
              tools={tools}
              onEnded={autoNext}
              onState={onLatestState}
              onLocked={preloadPayPanel}
              onReady={refetchEpisodes}
              renderLocked={(offer) => (
                <Suspense>
                  <PayPanel offer={offer} title={video.title} onPaid={onPaid} />
                </Suspense>
              )}
            />
          )
        }}
      />
      {neighbours.canPreload &&
        index + 1 < episodes.length &&
        episode?.state !== 'locked' &&
        number === hintEpisode && (
          <Suspense>
            <SwipeHint />
          </Suspense>
        )}
    </div>
  )
}

/** Returns a function that opens another drama, at the position where the viewer stopped or at its first episode. */
function useOpenDrama(id: string | undefined): () => void {
  const navigate = useNavigate()
  return useCallback(() => {
    if (id !== undefined) void navigate(paths.video.to(id))
  }, [id, navigate])
}

/** Returns a function that refetches all data that a payment may have changed. */
function useRefetchAfterPayment(videoId: string): () => void {
  const queryClient = useQueryClient()
  return useCallback(() => {
    for (const queryKey of [['playing'], episodesQuery(videoId).queryKey, ['user']])
      void queryClient.invalidateQueries({ queryKey })
  }, [queryClient, videoId])
}

/** Returns a function that refetches the list of episodes. */
function useRefetchEpisodes(videoId: string): () => void {
  const queryClient = useQueryClient()
  return useCallback(
    () => void queryClient.invalidateQueries({ queryKey: episodesQuery(videoId).queryKey }),
    [queryClient, videoId],
  )
}
