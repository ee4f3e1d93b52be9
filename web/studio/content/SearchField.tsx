import { useEffect, useEffectEvent, useState } from 'react'
import { Field } from '#web/ui/forms/Field.tsx'
import { useDebounced } from '#web/studio/ui/use-debounced.ts'
import styles from './content.module.css'

/**
 * Searches when typing pauses, and at once when the form is submitted or the field loses the focus. `value` is the current search;
 * the field follows when it changes elsewhere, as in the URL.
 */
export function SearchField({
  label,
  value,
  onSearch,
}: {
  label: string
  value: string
  onSearch: (words: string) => void
}) {
  const [words, setWords] = useState(value)
  const [lastSearch, setLastSearch] = useState({ given: value, sent: value })
  if (lastSearch.given !== value) {
    setLastSearch({ given: value, sent: value })
    // A change that this field itself reported is ignored, because the user may have typed on.
    if (lastSearch.sent !== value) setWords(value)
  }
  const search = (typed: string) => {
    const sent = typed.trim()
    if (sent === lastSearch.sent) return
    setLastSearch({ ...lastSearch, sent })
    onSearch(sent)
  }
  const onPause = useEffectEvent(search)
  const settled = useDebounced(words)
  useEffect(() => onPause(settled), [settled])
  return (
    <form
      className={styles.search}
      onSubmit={(event) => {
        event.preventDefault()
        search(words)
      }}
    >
      <Field
        name="q"
        type="search"
        label={label}
        autoComplete="off"
        required={false}
        value={words}
        message=""
        onValue={setWords}
        onLeave={() => search(words)}
        input={() => {}}
      />
    </form>
  )
}
