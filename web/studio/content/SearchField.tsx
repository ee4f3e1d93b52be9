import { useEffect, useEffectEvent, useState } from 'react'
import { Field } from '#web/ui/forms/Field.tsx'
import { useDebounced } from '#web/studio/ui/use-debounced.ts'
import styles from './content.module.css'

/**
 * A search field. It searches when typing pauses, and at once on submit and on blur. `value` is the current search; the
 * field is updated if `value` changes elsewhere, such as in the URL.
 */
export function SearchField({
  label,
  value,
  onSearch,
}: {
  label: string
  value: string
  onSearch: (text: string) => void
}) {
  const [text, setText] = useState(value)
  const [lastSearch, setLastSearch] = useState({ value, sent: value })
  if (lastSearch.value !== value) {
    setLastSearch({ value, sent: value })
    // If this field caused the change, do not replace its text, because the user may have typed more.
    if (lastSearch.sent !== value) setText(value)
  }
  const search = (typed: string) => {
    const sent = typed.trim()
    if (sent === lastSearch.sent) return
    setLastSearch({ ...lastSearch, sent })
    onSearch(sent)
  }
  const onPause = useEffectEvent(search)
  const settled = useDebounced(text)
  useEffect(() => onPause(settled), [settled])
  return (
    <form
      className={styles.search}
      onSubmit={(event) => {
        event.preventDefault()
        search(text)
      }}
    >
      <Field
        name="q"
        type="search"
        label={label}
        autoComplete="off"
        required={false}
        value={text}
        message=""
        onValue={setText}
        onLeave={() => search(text)}
        input={() => {}}
      />
    </form>
  )
}
