import '#web/i18n/watch.ts'
import { useQuery } from '@tanstack/react-query'
import {
  lazy,
  memo,
  startTransition,
  Suspense,
  useEffect,
  useRef,
  useState,
  useSyncExternalStore,
  type MouseEvent,
} from 'react'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { Link, useNavigate, useParams, useSearchParams } from 'react-router'
import type { Video } from '#contract/catalog.ts'
import type { Episode } from '#contract/media.ts'
import { Card } from '#web/features/catalog/Card.tsx'
import { videoQuery } from '#web/features/catalog/queries.ts'
import { FavoriteButton } from '#web/features/library/FavoriteButton.tsx'
import { useFavorite } from '#web/features/library/use-favorite.ts'
import { EpisodeGrid } from '#web/features/media/EpisodeGrid.tsx'
import { episodesQuery } from '#web/features/media/queries.ts'
import { ShareButton } from '#web/features/media/ShareButton.tsx'
import { VideoPanel } from '#web/features/media/VideoPanel.tsx'
import { ApiError } from '#web/lib/api.ts'
import { trackVideoVisit } from '#web/lib/tracking/funnel.ts'
import { paths } from '#web/lib/paths.ts'
import { track } from '#web/lib/tracking/track.ts'
import { ControlButton } from '#web/player/ui/Controls.tsx'
import { LoadError } from '#web/ui/LoadError.tsx'
import { Icon } from '#web/ui/Icon.tsx'
import { Sheet } from '#web/ui/Sheet.tsx'
import { EpisodeFeed, type EpisodePosition } from './EpisodeFeed.tsx'
import styles from './video-screen.module.css'

// Loaded on demand, because most requested dramas exist.
const NotFound = lazy(async () => ({ default: (await import('./NotFoundScreen.tsx')).Component }))

export function Component() {
  const { t } = useTranslation()
  const { id = '' } = useParams()
  const video = useQuery(videoQuery(id))
  const episodes = useQuery(episodesQuery(id))
  if (video.error instanceof ApiError && video.error.code === 404)
    return (
      <Suspense>
        <NotFound />
      </Suspense>
    )
  const retry = () => void Promise.all([video.refetch(), episodes.refetch()])
  if (video.data && episodes.data?.length)
    return <VideoPage key={id} video={video.data} episodes={episodes.data} />
  return (
    <div className={styles.page}>
      <div className={styles.stage}>
        <div className={styles.wait}>
          <div className={styles.top}>
            <BackLink />
          </div>
          {video.isError || episodes.isError ? (
            <LoadError onRetry={retry} />
          ) : (
            <span className={styles.spinner} role="status" aria-label={t('list.loading')} />
          )}
        </div>
      </div>
      <aside className={styles.panel} aria-hidden="true">
        <div className={styles.line} />
        <div className={styles.line} />
        <div className={styles.line} />
      </aside>
    </div>
  )
}

function VideoPage({ video, episodes }: { video: Video; episodes: Episode[] }) {
  const { t } = useTranslation()
  const position = useEpisodePosition(video, episodes)
  const { number, choose } = position
  const { video_cents: cents, currency } = video.price
  useEffect(
    () => track({ name: 'ViewContent', contentId: video.id, cents, currency }),
    [video.id, cents, currency],
  )
  useEffect(() => trackVideoVisit(video.id), [video.id])
  const [showsPanel, setShowsPanel] = useState(false)
  const panel = (heading: boolean) => (
    <VideoPanel
      video={video}
      heading={heading}
      episodes={
        <EpisodeGrid
          episodes={episodes}
          current={number}
          onChoose={(chosen) => (choose(chosen), setShowsPanel(false))}
          onStep={choose}
        />
      }
      related={<Related videos={video.related} />}
    />
  )
  const wide = useSyncExternalStore(watchWidth, isWide)
  const setFavorite = useFavorite(video)
  const list = (
    <span className={styles.phone}>
      <ControlButton
        icon="list"
        label={t('video.episodes')}
        note={`${number}/${episodes.length}`}
        onClick={() => setShowsPanel(true)}
      />
    </span>
  )
  const rail = (
    <>
      <FavoriteButton video={video} />
      {list}
      <ShareButton videoId={video.id} title={video.title} episode={number} />
    </>
  )
  return (
    <div className={styles.page}>
      <title>{`${video.title} · ${t('video.episode', { number })}`}</title>
      <span className={styles.phone}>
        <h1 className="hidden-text">{video.title}</h1>
      </span>
      <EpisodeFeed
        video={video}
        episodes={episodes}
        position={position}
        rail={rail}
        list={list}
        onDoubleTap={() => setFavorite(true)}
        back={<BackLink />}
      />
      {wide && (
        <aside className={styles.panel} aria-label={t('video.about')}>
          {panel(true)}
        </aside>
      )}
      {showsPanel && (
        <Sheet title={video.title} onClose={() => setShowsPanel(false)}>
          {panel(false)}
        </Sheet>
      )}
    </div>
  )
}

/** Matches if the panel is beside the player; the width must be the same as in the style sheet. */
const wideViewport = matchMedia('(width >= 1024px)')
const isWide = () => wideViewport.matches
function watchWidth(changed: () => void): () => void {
  wideViewport.addEventListener('change', changed)
  return () => wideViewport.removeEventListener('change', changed)
}

/** The related dramas. Memoized, so that a swipe does not render them again. */
const Related = memo(function Related({ videos }: { videos: Video['related'] }) {
  return (
    <div className={styles.related}>
      {videos.map((video) => (
        <Card key={video.id} video={video} />
      ))}
    </div>
  )
})

/**
 * Returns whether the previous page in this tab belongs to the site. The router numbers its history entries by `idx`.
 */
const hasPreviousPage = () => Number(Object(history.state).idx) > 0

/** Goes back to the previous page of the site or, if there is none, to `home`. */
export function BackLink({ home = paths.home.to() }: { home?: string }) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const canGoBack = hasPreviousPage()
  const goBack = (event: MouseEvent) => {
    if (!canGoBack || event.metaKey || event.ctrlKey || event.shiftKey) return
    event.preventDefault()
    void navigate(-1)
  }
  return (
    <Link
      to={home}
      className={styles.back}
      aria-label={t(canGoBack ? 'video.back' : 'site.home')}
      onClick={goBack}
    >
      <Icon name="back" />
    </Link>
  )
}

/**
 * Returns the episode on screen: the one in the URL, else the one where the viewer stopped, else the first. If the
 * episode with that number was removed, returns the next existing episode. A swipe replaces the URL without a
 * navigation, so that a reload or a copied link opens the same episode.
 */
function useEpisodePosition(video: Video, episodes: Episode[]): EpisodePosition {
  const [search] = useSearchParams()
  const [position, setPosition] = useState(() => ({
    number: Number(search.get('episode') ?? video.resume?.number ?? 1),
    atEnd: false,
  }))
  const latest = useRef(position)
  const shown = episodes.find(({ number }) => number >= position.number) ?? episodes[0]
  return {
    number: shown?.number ?? 1,
    atEnd: position.atEnd,
    isLatest: () => latest.current.number === position.number && latest.current.atEnd === position.atEnd,
    choose(number) {
      const next = { number: number ?? latest.current.number, atEnd: !number }
      latest.current = next
      // The next episode already plays. The rest of the screen is updated in a transition, so that the update does not
      // block input.
      startTransition(() => setPosition(next))
      if (number) history.replaceState(history.state, '', paths.video.to(video.id, number))
    },
  }
}
