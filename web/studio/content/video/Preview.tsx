import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { languages } from '#contract/languages.ts'
import type { StudioEpisode, StudioVideo } from '#contract/studio/videos.ts'
import { languageNames } from '#web/lib/language.ts'
import { money } from '#web/lib/money.ts'
import { Icon } from '#web/ui/Icon.tsx'
import { useTexts } from '#web/studio/texts.ts'
import { Choice } from '#web/studio/ui/Choice.tsx'
import { nameIn } from '#web/studio/format.ts'
import { StudioPlayer } from './StudioPlayer.tsx'
import { episodesQuery } from '#web/studio/content/queries.ts'
import styles from '#web/studio/content/content.module.css'

const people = ['visitor', 'member', 'subscriber'] as const
type Person = (typeof people)[number]

/** Previews the video for each kind of viewer: texts, open episodes, and the price of locked ones. */
export function Preview({ video }: { video: StudioVideo }) {
  const { t, language: own } = useTexts()
  const [person, setPerson] = useState<Person>('visitor')
  const [language, setLanguage] = useState(own)
  const [chosen, setChosen] = useState<string | null>(null)
  const episodes = useQuery(episodesQuery(video.id, false))
  const seen = (episodes.data?.list ?? []).filter(({ plays, state }) => plays || state !== 'failed')
  const episode = seen.find(({ id }) => id === chosen) ?? seen[0]
  const isOpen = (each: StudioEpisode) => person === 'subscriber' || each.number <= video.free_episodes
  const say = (texts: StudioVideo['titles']) => nameIn(texts, language)
  return (
    <div className={styles.stack}>
      <div className={styles.details}>
        <Choice
          label={t('content.seenBy')}
          value={person}
          hint={t(`content.people.${person}Text`)}
          options={people.map((each) => ({ value: each, label: t(`content.people.${each}`) }))}
          onChoose={(value) => setPerson(people.find((each) => each === value) ?? 'visitor')}
        />
        <Choice
          label={t('shell.language')}
          value={language}
          options={languages.map((each) => ({ value: each, label: languageNames[each] }))}
          onChoose={(value) => setLanguage(languages.find((each) => each === value) ?? 'en')}
        />
      </div>
      <div className={styles.preview}>
        <div className={styles.screen}>
          {episode && isOpen(episode) && episode.plays && (
            <StudioPlayer
              key={episode.id}
              episodeId={episode.id}
              name={t('content.episodeNumber', { number: episode.number })}
            />
          )}
          {episode && !isOpen(episode) && <Locked video={video} episode={episode} />}
          {!episode && <p className={styles.quiet}>{t('content.noEpisodes')}</p>}
          {episode && isOpen(episode) && !episode.plays && (
            <p className={styles.quiet}>{t('content.stillMade')}</p>
          )}
        </div>
        <div className={styles.stack}>
          <h3 className={styles.previewTitle}>{say(video.titles)}</h3>
          <p className={styles.synopsis}>{say(video.synopses)}</p>
          <div className={styles.grid}>
            {seen.map((each) => (
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
        {t('content.costs', {
          episode: money(price.episode_cents, price.currency),
          video: money(price.video_cents, price.currency),
        })}
      </p>
    </div>
  )
}
