import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { languages } from '#contract/languages.ts'
import type { StudioEpisode, StudioVideo } from '#contract/studio/videos.ts'
import { languageNames } from '#web/lib/language.ts'
import { money } from '#web/lib/format-money.ts'
import { Icon } from '#web/ui/Icon.tsx'
import { useTexts } from '#web/studio/texts.ts'
import { SelectField } from '#web/studio/ui/SelectField.tsx'
import { localizedName } from '#web/studio/format.ts'
import { StudioPlayer } from './StudioPlayer.tsx'
import { episodesQuery } from '#web/studio/content/queries.ts'
import styles from '#web/studio/content/content.module.css'

const viewerKinds = ['visitor', 'member', 'subscriber'] as const
type ViewerKind = (typeof viewerKinds)[number]

/** Previews the video for each kind of viewer: texts, playable episodes, and the price of locked ones. */
export function VideoPreview({ video }: { video: StudioVideo }) {
  const { t, language: own } = useTexts()
  const [viewerKind, setViewerKind] = useState<ViewerKind>('visitor')
  const [language, setLanguage] = useState(own)
  const [chosen, setChosen] = useState<string | null>(null)
  const episodes = useQuery(episodesQuery(video.id, false))
  const visibleEpisodes = (episodes.data?.list ?? []).filter(
    ({ playable, state }) => playable || state !== 'failed',
  )
  const episode = visibleEpisodes.find(({ id }) => id === chosen) ?? visibleEpisodes[0]
  const isOpen = (each: StudioEpisode) => viewerKind === 'subscriber' || each.number <= video.free_episodes
  const localized = (texts: StudioVideo['titles']) => localizedName(texts, language)
  return (
    <div className={styles.stack}>
      <div className={styles.details}>
        <SelectField
          label={t('content.viewAs')}
          value={viewerKind}
          hint={t(`content.viewer.${viewerKind}Text`)}
          options={viewerKinds.map((each) => ({ value: each, label: t(`content.viewer.${each}`) }))}
          onChoose={(value) => setViewerKind(viewerKinds.find((each) => each === value) ?? 'visitor')}
        />
        <SelectField
          label={t('shell.language')}
          value={language}
          options={languages.map((each) => ({ value: each, label: languageNames[each] }))}
          onChoose={(value) => setLanguage(languages.find((each) => each === value) ?? 'en')}
        />
      </div>
      <div className={styles.preview}>
        <div className={styles.screen}>
          {episode && isOpen(episode) && episode.playable && (
            <StudioPlayer
              key={episode.id}
              episodeId={episode.id}
              name={t('content.episodeNumber', { number: episode.number })}
            />
          )}
          {episode && !isOpen(episode) && <Locked video={video} episode={episode} />}
          {!episode && <p className={styles.quiet}>{t('content.noEpisodes')}</p>}
          {episode && isOpen(episode) && !episode.playable && (
            <p className={styles.quiet}>{t('content.stillProcessing')}</p>
          )}
        </div>
        <div className={styles.stack}>
          <h3 className={styles.previewTitle}>{localized(video.titles)}</h3>
          <p className={styles.synopsis}>{localized(video.synopses)}</p>
          <div className={styles.grid}>
            {visibleEpisodes.map((each) => (
              <button
                key={each.id}
                type="button"
                aria-pressed={each === episode}
                aria-label={t(isOpen(each) ? 'content.openNumber' : 'content.lockedNumber', {
                  number: each.number,
                })}
                onClick={() => setChosen(each.id)}
              >
                {each.number}
                {!isOpen(each) && <Icon name="lock" size={12} />}
              </button>
            ))}
          </div>
        </div>
      </div>
    </div>
  )
}

function Locked({ video: { price }, episode }: { video: StudioVideo; episode: StudioEpisode }) {
  const { t } = useTexts()
  return (
    <div className={styles.locked}>
      <Icon name="lock" size={28} />
      <p>{t('content.lockedNumber', { number: episode.number })}</p>
      <p>
        {t('content.lockedPrices', {
          episode: money(price.episode_cents, price.currency),
          video: money(price.video_cents, price.currency),
        })}
      </p>
    </div>
  )
}
