import { useTranslation } from '#web/i18n/use-translation.ts'
import { Link } from 'react-router'
import type { VideoCard } from '#contract/catalog.ts'
import { paths } from '#web/lib/paths.ts'
import { buttonClass } from '#web/ui/Button.tsx'
import { Icon } from '#web/ui/Icon.tsx'
import { Cover } from './Card.tsx'
import { HorizontalScroller } from './HorizontalScroller.tsx'
import styles from './carousel.module.css'

/** Featured videos side by side, without automatic movement: viewers swipe, scroll or use the buttons. */
export function Carousel({ videos, title, eager }: { videos: VideoCard[]; title: string; eager: boolean }) {
  const { t } = useTranslation()
  return (
    <section aria-label={title}>
      <HorizontalScroller title={title} className={styles.track} tabIndex={0}>
        {videos.map((video, i) => (
          <li key={video.id} className={styles.slide} style={{ background: video.cover_color }}>
            <Slide
              video={video}
              eager={eager && i < 2}
              label={t('home.slide', { number: i + 1, total: videos.length })}
            />
          </li>
        ))}
      </HorizontalScroller>
    </section>
  )
}

function Slide({ video, eager, label }: { video: VideoCard; eager: boolean; label: string }) {
  const { t } = useTranslation()
  return (
    <Link to={paths.video.to(video.id)} className={styles.link}>
      <div
        className={styles.glow}
        style={video.cover_url ? { backgroundImage: `url("${video.cover_url}")` } : {}}
      />
      <div className={styles.poster}>
        <Cover video={video} eager={eager} />
      </div>
      <div className={styles.words}>
        <span className="hidden-text">{label}</span>
        <p className={styles.tags}>{video.tags.map(({ name }) => name).join(' · ')}</p>
        <h2>{video.title}</h2>
        {video.synopsis && <p className={styles.synopsis}>{video.synopsis}</p>}
        <p className={styles.count}>{t('card.episodes', { count: video.episode_count })}</p>
        <span className={buttonClass('main')}>
          <Icon name="play" size={18} /> {t('home.watch')}
        </span>
      </div>
    </Link>
  )
}
