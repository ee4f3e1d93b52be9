import { useQuery } from '@tanstack/react-query'
import { useCallback } from 'react'
import { Link, useNavigate } from 'react-router'
import type { Video, VideoCard } from '#contract/catalog.ts'
import type { Episode } from '#contract/media.ts'
import { videoQuery } from '#web/features/catalog/queries.ts'
import { FavoriteButton } from '#web/features/library/FavoriteButton.tsx'
import { useFavorite } from '#web/features/library/use-favorite.ts'
import type { useProgress } from '#web/features/library/use-progress.ts'
import { NextDrama } from '#web/features/media/EndSlide.tsx'
import { EpisodeSlide } from '#web/features/media/EpisodeSlide.tsx'
import { firstEpisodeQuery } from '#web/features/media/first-episode-query.ts'
import { ShareButton } from '#web/features/media/ShareButton.tsx'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { paths } from '#web/lib/paths.ts'
import { ControlButton } from '#web/player/ui/Controls.tsx'
import type { SlideTools } from '#web/player/ui/FeedPlayer.tsx'
import type { VideoSlideProps } from '#web/player/ui/video-slide-props.ts'
import { buttonClass } from '#web/ui/Button.tsx'
import { LoadError } from '#web/ui/LoadError.tsx'
import styles from './drama-feed.module.css'
import screen from '#web/app/screens/video-screen.module.css'

interface DramaSlideProps extends Pick<VideoSlideProps, 'active' | 'back' | 'onEnded' | 'onState'> {
  card: VideoCard
  deferLoading: boolean
  startPositionOf: ReturnType<typeof useProgress>['startPositionOf']
  tools: SlideTools
}

/** One drama in the feed. Plays its first episode; a horizontal swipe opens the drama. */
export function DramaSlide(props: DramaSlideProps) {
  const { card, active, back } = props
  const navigate = useNavigate()
  const video = useQuery(videoQuery(card.id))
  const first = useQuery(firstEpisodeQuery(card.id))
  const open = useCallback(() => void navigate(paths.video.to(card.id)), [card.id, navigate])
  const retry = () => void Promise.all([video.refetch(), first.refetch()])
  return (
    <div className={styles.sideways} data-sideways="">
      <div className={styles.drama}>
        {video.data && first.data ? (
          <FirstEpisode {...props} video={video.data} episode={first.data} onOpen={open} />
        ) : (
          <div className={screen.wait}>
            {card.cover_url && (
              <div className={styles.cover} style={{ backgroundImage: `url("${card.cover_url}")` }} />
            )}
            {active && <div className={screen.top}>{back}</div>}
            {(video.isError || first.isError) && <LoadError onRetry={retry} />}
          </div>
        )}
      </div>
      {active && (
        <div className={`${styles.drama} ${styles.aside}`} inert>
          <NextDrama video={card} onOpen={open} />
        </div>
      )}
    </div>
  )
}

interface FirstEpisodeProps extends DramaSlideProps {
  video: Video
  episode: Episode
  onOpen: () => void
}

function FirstEpisode({ video, episode, onOpen, startPositionOf, card: _card, ...page }: FirstEpisodeProps) {
  const { t } = useTranslation()
  const setFavorite = useFavorite(video)
  const rail = (
    <>
      <FavoriteButton video={video} />
      <ControlButton
        icon="list"
        label={t('feed.all')}
        note={`${episode.number}/${video.episode_count}`}
        onClick={onOpen}
      />
      <ShareButton videoId={video.id} title={video.title} episode={episode.number} />
    </>
  )
  return (
    <EpisodeSlide
      {...page}
      episode={episode}
      title={video.title}
      startMs={startPositionOf(episode.id, episode.duration_ms, null)}
      rail={rail}
      onDoubleTap={() => setFavorite(true)}
      onLocked={noop}
      onReady={noop}
      renderLocked={() => (
        <div className={screen.wait}>
          <Link className={buttonClass('main')} to={paths.video.to(video.id)}>
            {t('feed.all')}
          </Link>
        </div>
      )}
    />
  )
}

const noop = () => {}
