import { useTranslation } from '#web/i18n/use-translation.ts'
import type { Episode } from '#contract/media.ts'
import { formatClock } from '#web/lib/format.ts'
import { Stepper } from '#web/ui/forms/Stepper.tsx'
import { Icon } from '#web/ui/Icon.tsx'
import styles from './episode-grid.module.css'

/** Above this number of episodes, a stepper is shown, because finding a tile would take longer. */
const manyEpisodes = 24

interface EpisodeGridProps {
  episodes: Episode[]
  current: number
  onChoose: (number: number) => void
  /** Unlike `onChoose`, a step keeps the panel open. */
  onStep: (number: number) => void
}

export function EpisodeGrid({ episodes, current, onChoose, onStep }: EpisodeGridProps) {
  const { t } = useTranslation()
  return (
    <>
      {episodes.length > manyEpisodes && (
        <Stepper
          label={t('video.goToEpisode')}
          fewer={t('player.previous')}
          more={t('player.next')}
          value={current}
          min={episodes[0]?.number ?? 1}
          max={episodes.at(-1)?.number ?? 1}
          onValue={onStep}
        />
      )}
      <ul className={styles.grid} aria-label={t('video.episodes')}>
        {episodes.map((episode) => (
          <li key={episode.id}>
            <Cell
              episode={episode}
              playing={episode.number === current}
              onChoose={() => onChoose(episode.number)}
            />
          </li>
        ))}
      </ul>
    </>
  )
}

function Cell({ episode, playing, onChoose }: { episode: Episode; playing: boolean; onChoose: () => void }) {
  const { t } = useTranslation()
  const { number, title, state, ready, duration_ms, thumb_url } = episode
  const isPlaying = playing && ready && state !== 'locked'
  const stateText = isPlaying ? t('video.playing') : ready ? t(`video.${state}`) : t('video.notReady')
  return (
    <button type="button" className={styles.cell} onClick={onChoose} aria-current={playing || undefined}>
      <span className={styles.still} style={thumb_url ? { backgroundImage: `url("${thumb_url}")` } : {}}>
        {state === 'locked' && <Icon name="lock" size={18} />}
        {state === 'unlocked' && <Icon name="check" size={18} />}
        {isPlaying && <span className={styles.bars} />}
      </span>
      <span className={styles.words}>
        <span className="hidden-text">{t('video.episode', { number })}</span>
        <span className={styles.number} aria-hidden="true">
          {t('video.number', { number })}
        </span>
        <span className={styles.state}>{duration_ms && ready ? formatClock(duration_ms) : stateText}</span>
        <span className="hidden-text">{[title, stateText].filter(Boolean).join(', ')}</span>
      </span>
    </button>
  )
}
