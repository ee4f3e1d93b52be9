import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { listTags } from '#contract/catalog.ts'
import { call } from '#web/lib/api.ts'
import { Button } from '#web/ui/Button.tsx'
import { useTexts } from '#web/studio/texts.ts'
import { Ordered } from '#web/studio/ui/Ordered.tsx'
import { useSettled } from '#web/studio/ui/use-settled.ts'
import styles from './homepage.module.css'

interface Picked {
  id: string
  name: string
}

/** Videos chosen by hand, in the order in which viewers see them; they can be searched, moved and removed. */
export function PickVideos({
  ids,
  known,
  onPick,
}: {
  ids: readonly string[]
  known: readonly Picked[]
  onPick: (ids: string[]) => void
}) {
  const { t } = useTexts()
  const [words, setWords] = useState('')
  const search = useRef<HTMLInputElement>(null)
  const [found, setFound] = useState<Picked[]>([])
  const asked = useSettled(words.trim())
  const titles = useQuery({
    queryKey: ['pick', asked],
    queryFn: ({ signal }) => call(listTags, { query: { keyword: asked, limit: 8 }, signal }),
    enabled: asked !== '',
    placeholderData: keepPreviousData,
  })
  const isAnswered = titles.isSuccess && !titles.isPlaceholderData && asked === words.trim()
  const nameOf = (id: string) => [...known, ...found].find((video) => video.id === id)?.name ?? id
  const pick = (video: Picked) => {
    setFound([...found, video])
    onPick([...ids, video.id])
    setWords('')
    // The pressed button disappears with the search results.
    search.current?.focus()
  }
  const fresh = (titles.data?.titles ?? []).filter(({ id }) => !ids.includes(id))
  return (
    <div className={styles.pick}>
      <Ordered items={ids} keyOf={(id) => id} nameOf={nameOf} onOrder={onPick}>
        {(id) => (
          <div className={styles.picked}>
            {nameOf(id)}
            <Button look="quiet" onClick={() => onPick(ids.filter((each) => each !== id))}>
              {t('homepage.takeOut')}
              <span className="hidden-text"> {nameOf(id)}</span>
            </Button>
          </div>
        )}
      </Ordered>
      <label className={styles.text}>
        {t('homepage.find')}
        <input
          ref={search}
          type="search"
          value={words}
          maxLength={100}
          onChange={({ target }) => setWords(target.value)}
        />
      </label>
      {words.trim() !== '' && (
        <ul aria-label={t('homepage.found')} aria-busy={!isAnswered && !titles.isError}>
          {fresh.map(({ id, title }) => (
            <li key={id}>
              <Button look="quiet" onClick={() => pick({ id, name: title })}>
                {t('homepage.add')} {title}
              </Button>
            </li>
          ))}
          {isAnswered && fresh.length === 0 && <li>{t('homepage.nothingFound')}</li>}
          {titles.isError && <li>{t('homepage.noSearch')}</li>}
        </ul>
      )}
    </div>
  )
}
