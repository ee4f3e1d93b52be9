import { useQuery } from '@tanstack/react-query'
import { useDeferredValue, useId, useState, type FormEvent, type KeyboardEvent } from 'react'
import { useNavigate } from 'react-router'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { paths } from '#web/lib/paths.ts'
import { Icon } from '#web/ui/Icon.tsx'
import { typeAheadQuery } from './list-queries.ts'
import styles from './search.module.css'

interface Suggestion {
  key: string
  label: string
  to: string
  /** The cover of a video, or null if it has none; undefined for a tag. */
  cover?: string | null
}

interface SearchBoxProps {
  onSearch: (searchTerm: string) => void
  /** The last search term. */
  searchTerm?: string | undefined
  autoFocus?: boolean
}

/**
 * A search field with suggestions while typing. The arrow keys select a suggestion. Enter opens it or, if none is
 * selected, searches for the typed text.
 */
export function SearchBox({ onSearch, searchTerm: lastSearchTerm = '', autoFocus }: SearchBoxProps) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const id = useId()
  const [searchTerm, setSearchTerm] = useState(lastSearchTerm)
  const [open, setOpen] = useState(false)
  const [active, setActive] = useState(-1)
  // No suggestions are shown for the last search until its text is changed.
  const suggestions = useSuggestions(searchTerm === lastSearchTerm ? '' : searchTerm)
  const shown = open && suggestions.length > 0

  const onType = (text: string) => {
    setSearchTerm(text)
    setOpen(true)
    setActive(-1)
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const chosen = shown ? suggestions[active] : undefined
    if (chosen) void navigate(chosen.to)
    else if (searchTerm.trim()) onSearch(searchTerm.trim())
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (event.key === 'Escape' && shown) {
      // The first Escape only closes the list. Without preventDefault the browser would also clear the field.
      event.preventDefault()
      return setOpen(false)
    }
    if (!step || suggestions.length === 0) return
    event.preventDefault()
    setOpen(true)
    // There is one more position than there are suggestions. At that position no suggestion is selected, and the field
    // keeps the typed text.
    const positions = suggestions.length + 1
    setActive((place) => ((place + 1 + step + positions) % positions) - 1)
  }
  return (
    <form role="search" className={styles.box} onSubmit={submit}>
      <Icon name="search" />
      <input
        type="search"
        name="keyword"
        enterKeyHint="search"
        autoComplete="off"
        maxLength={200}
        aria-label={t('search.title')}
        placeholder={t('search.placeholder')}
        role="combobox"
        aria-expanded={shown}
        aria-controls={`${id}-list`}
        aria-activedescendant={shown && active >= 0 ? `${id}-${active}` : undefined}
        value={searchTerm}
        autoFocus={autoFocus}
        onChange={(event) => onType(event.target.value)}
        onKeyDown={onKeyDown}
        onBlur={() => setOpen(false)}
      />
      <ul
        id={`${id}-list`}
        role="listbox"
        aria-label={t('search.suggestions')}
        hidden={!shown}
        className={styles.list}
      >
        {suggestions.map(({ key, label, cover, to }, i) => (
          <li
            key={key}
            id={`${id}-${i}`}
            role="option"
            aria-selected={i === active}
            className={styles.option}
            // Runs before the field loses the focus, because the list closes when the focus is lost.
            onPointerDown={(event) => (event.preventDefault(), void navigate(to))}
          >
            {cover === undefined ? (
              <Icon name="search" size={16} />
            ) : (
              <span className={styles.poster}>
                {cover && <img src={cover} alt="" width="30" height="40" loading="lazy" />}
              </span>
            )}
            {label}
            {cover === undefined && <span className={styles.kind}>{t('search.tag')}</span>}
          </li>
        ))}
      </ul>
    </form>
  )
}

function useSuggestions(searchTerm: string): Suggestion[] {
  const deferredTerm = useDeferredValue(searchTerm.trim())
  const { data } = useQuery(typeAheadQuery(deferredTerm))
  if (!deferredTerm || !data) return []
  return [
    ...(data.titles ?? []).map(({ id, title, cover_url }) => ({
      key: id,
      label: title,
      cover: cover_url,
      to: paths.video.to(id),
    })),
    ...data.list.map(({ id, name }) => ({
      key: id,
      label: name,
      to: paths.searchDetail.to(id),
    })),
  ].slice(0, 10)
}
