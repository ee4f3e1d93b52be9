import '#web/i18n/search.ts'
import '#web/i18n/watch.ts'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { startTransition, useEffect, useRef, useState, type CSSProperties, type ReactNode } from 'react'
import { Link, useNavigate, useSearchParams } from 'react-router'
import type { VideoCard } from '#contract/catalog.ts'
import { feedQuery, withoutRepeats } from '#web/features/catalog/list-queries.ts'
import { videoQuery } from '#web/features/catalog/queries.ts'
import { useProgress } from '#web/features/library/use-progress.ts'
import { firstEpisodeQuery } from '#web/features/media/first-episode-query.ts'
import { VideoPanel } from '#web/features/media/VideoPanel.tsx'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { ApiError } from '#web/lib/api.ts'
import { paths } from '#web/lib/paths.ts'
import type { VideoState } from '#web/player/engine/video-state.ts'
import { FeedPlayer } from '#web/player/ui/FeedPlayer.tsx'
import { useStableCallback } from '#web/app/screens/use-stable-callback.ts'
import { usePreloadNeighbours } from '#web/app/screens/use-preload-neighbours.ts'
import { useAspectRatio } from '#web/app/screens/use-aspect-ratio.ts'
// Imported statically: viewers usually open the video screen from the feed, so the feed loads the code of that screen.
import { BackLink } from '#web/app/screens/VideoScreen.tsx'
import { buttonClass } from '#web/ui/Button.tsx'
import { LoadError } from '#web/ui/LoadError.tsx'
import { DramaSlide } from './DramaSlide.tsx'
import styles from './drama-feed.module.css'
import screen from '#web/app/screens/video-screen.module.css'

/** When this many dramas remain, the next page is fetched. */
const minDramasAhead = 4

/** A feed of dramas, each with its first episode: the dramas of the section, then the most popular dramas. */
export function DramaFeed({ section, missing: notFound }: { section: string; missing: ReactNode }) {
  const { t } = useTranslation()
  const pages = useInfiniteQuery(feedQuery(section))
  const { data, hasNextPage, isFetching, isError, fetchNextPage } = pages
  const dramas = withoutRepeats(data?.pages.flatMap(({ list }) => list) ?? [])
  const [shownIndex, setShownIndex] = useState(0)
  const needsMoreDramas = dramas.length - shownIndex <= minDramasAhead
  useEffect(() => {
    if (needsMoreDramas && hasNextPage && !isFetching && !isError) void fetchNextPage()
  }, [needsMoreDramas, hasNextPage, isFetching, isError, fetchNextPage])
  if (pages.error instanceof ApiError && pages.error.code === 404) return notFound
  const back = <BackLink home={paths.more.to(section)} />
  if (dramas.length > 0)
    return (
      <DramaSlides
        section={section}
        title={data?.pages[0]?.title ?? ''}
        dramas={dramas}
        back={back}
        onShown={setShownIndex}
        last={
          isError ? (
            <LoadError onRetry={() => void fetchNextPage()} />
          ) : hasNextPage ? (
            <span className={screen.spinner} role="status" aria-label={t('list.loading')} />
          ) : (
            <FeedEnd />
          )
        }
      />
    )
  return (
    <div className={screen.page}>
      <div className={screen.stage}>
        <div className={screen.wait}>
          <div className={screen.top}>{back}</div>
          {isError && <LoadError onRetry={() => void pages.refetch()} />}
          {!isError && (isFetching || hasNextPage) && (
            <span className={screen.spinner} role="status" aria-label={t('list.loading')} />
          )}
          {!isError && !isFetching && !hasNextPage && <FeedEnd />}
        </div>
      </div>
    </div>
  )
}

interface DramaSlidesProps {
  section: string
  title: string
  dramas: VideoCard[]
  back: ReactNode
  onShown: (index: number) => void
  /** The slide after the last drama. */
  last: ReactNode
}

function DramaSlides({ section, title, dramas, back, onShown, last }: DramaSlidesProps) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const { index, isLatest, choose } = useFeedPosition(section, dramas, onShown)
  const drama = dramas[index]
  const { data: video } = useQuery({ ...videoQuery(drama?.id ?? ''), enabled: drama !== undefined })
  const { data: first } = useQuery({ ...firstEpisodeQuery(drama?.id ?? ''), enabled: drama !== undefined })
  const progress = useProgress(drama?.id ?? '')
  const neighbours = usePreloadNeighbours(first?.id)
  const aspectRatio = useAspectRatio(first?.id)
  const goTo = (next: number) => {
    progress.flush()
    choose(next)
  }
  const onState = useStableCallback((state: VideoState) => {
    if (!drama || !first || !state.started) return
    neighbours.follow(state)
    if (state.paused) progress.flush()
    else progress.report({ videoId: drama.id, episodeId: first.id, positionMs: state.timeMs })
  })
  const onEnded = useStableCallback((endedId: string) => {
    if (!drama || endedId !== first?.id) return
    if (drama.episode_count > 1) void navigate(paths.video.to(drama.id, first.number + 1))
    else goTo(index + 1)
  })
  return (
    <div className={screen.page}>
      <title>{drama ? `${drama.title} · ${title}` : title}</title>
      <h1 className={video ? `hidden-text ${screen.phone}` : 'hidden-text'}>{title}</h1>
      <div className={screen.stage} style={{ '--shape': aspectRatio } as CSSProperties}>
        <FeedPlayer
          count={dramas.length + 1}
          index={index}
          onIndex={goTo}
          isLatest={isLatest}
          label={title || t('feed.name')}
          renderSlide={(i, tools) => {
            const shown = dramas[i]
            if (!shown)
              return (
                <div className={screen.wait}>
                  {i === index && <div className={screen.top}>{back}</div>}
                  {last}
                </div>
              )
            return (
              <DramaSlide
                key={shown.id}
                card={shown}
                active={i === index}
                deferLoading={i !== index && !neighbours.canPreload}
                startPositionOf={progress.startPositionOf}
                back={back}
                tools={tools}
                onEnded={onEnded}
                onState={onState}
              />
            )
          }}
        />
      </div>
      <aside className={screen.panel} aria-label={t('video.about')}>
        {video && (
          <VideoPanel
            video={{ ...video, related: [] }}
            heading
            episodes={
              <Link className={buttonClass('main')} to={paths.video.to(video.id)}>
                {t('feed.all')}
              </Link>
            }
            related={null}
          />
        )}
      </aside>
    </div>
  )
}

/** The slide shown when the viewer has reached the end of all dramas. */
function FeedEnd() {
  const { t } = useTranslation()
  return (
    <div className={styles.over}>
      <p>{t('feed.allCaughtUp')}</p>
      <Link className={buttonClass('main')} to={paths.home.to()}>
        {t('list.browseDramas')}
      </Link>
    </div>
  )
}

/**
 * Returns the position in the feed. The feed opens at the drama in the URL, else at the first drama. A swipe rewrites
 * the URL, so that going back returns to the same drama.
 */
function useFeedPosition(section: string, dramas: readonly VideoCard[], onShown: (index: number) => void) {
  const requestedId = useSearchParams()[0].get('feed')
  const [index, setIndex] = useState(() =>
    Math.max(
      0,
      dramas.findIndex(({ id }) => id === requestedId),
    ),
  )
  const latestIndex = useRef(index)
  useEffect(() => onShown(index), [index, onShown])
  return {
    index,
    isLatest: () => latestIndex.current === index,
    choose(next: number) {
      latestIndex.current = next
      // The next slide is already on screen; the rest of the screen may update later.
      startTransition(() => setIndex(next))
      history.replaceState(history.state, '', paths.more.feed(section, dramas[next]?.id))
    },
  }
}
