import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { listTags } from '#contract/catalog.ts'
import { call } from '#web/lib/api.ts'
import { Button } from '#web/ui/Button.tsx'
import { useTexts } from '#web/studio/texts.ts'
import { SortableList } from '#web/studio/ui/SortableList.tsx'
import { useDebounced } from '#web/studio/ui/use-debounced.ts'
import styles from './homepage.module.css'

interface PickedVideo {
  id: string
  name: string
}

/**
 * Selects the videos of a section by hand, in the order in which viewers see them. Videos are found by a search, and
 * can be moved and removed.
 */
export function VideoPicker({
  ids,
  known,
  onPick,
}: {
  ids: readonly string[]
  known: readonly PickedVideo[]
  onPick: (ids: string[]) => void
}) {
  const { t } = useTexts()
  const [searchText, setSearchText] = useState('')
  const search = useRef<HTMLInputElement>(null)
  const [found, setFound] = useState<PickedVideo[]>([])
  const debouncedQuery = useDebounced(searchText.trim())
  const titles = useQuery({
    queryKey: ['pick', debouncedQuery],
    queryFn: ({ signal }) => call(listTags, { query: { keyword: debouncedQuery, limit: 8 }, signal }),
    enabled: debouncedQuery !== '',
    placeholderData: keepPreviousData,
  })
  const isAnswered = titles.isSuccess && !titles.isPlaceholderData && debouncedQuery === searchText.trim()
  const nameOf = (id: string) => [...known, ...found].find((video) => video.id === id)?.name ?? id
  const pick = (video: PickedVideo) => {
    setFound([...found, video])
    onPick([...ids, video.id])
    setSearchText('')
    // Moves the focus, because the pressed button disappears with the search results.
    search.current?.focus()
  }
  const fresh = (titles.data?.titles ?? []).filter(({ id }) => !ids.includes(id))
  return (
    <div className={styles.pick}>
      <SortableList items={ids} keyOf={(id) => id} nameOf={nameOf} onOrder={onPick}>
        {(id) => (
          <div className={styles.picked}>
            {nameOf(id)}
            <Button variant="quiet" onClick={() => onPick(ids.filter((each) => each !== id))}>
              {t('homepage.removeVideo')}
              <span className="hidden-text"> {nameOf(id)}</span>
            </Button>
          </div>
        )}
      </SortableList>
      <label className={styles.text}>
        {t('homepage.search')}
        <input
          ref={search}
          type="search"
          value={searchText}
          maxLength={100}
          onChange={({ target }) => setSearchText(target.value)}
        />
      </label>
      {searchText.trim() !== '' && (
        <ul aria-label={t('homepage.searchResults')} aria-busy={!isAnswered && !titles.isError}>
          {fresh.map(({ id, title }) => (
            <li key={id}>
              <Button variant="quiet" onClick={() => pick({ id, name: title })}>
                {t('homepage.add')} {title}
              </Button>
            </li>
          ))}
          {isAnswered && fresh.length === 0 && <li>{t('homepage.noMatches')}</li>}
          {titles.isError && <li>{t('homepage.searchFailed')}</li>}
        </ul>
      )}
    </div>
  )
}
