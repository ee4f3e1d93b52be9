import { useState } from 'react'
import { Field } from '#web/ui/Field.tsx'
import styles from './content.module.css'

/** Looks for what was typed once the form is sent, or the field left. */
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
  return (
    <form
      className={styles.search}
      onSubmit={(event) => {
        event.preventDefault()
        onSearch(words.trim())
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
        onLeave={() => onSearch(words.trim())}
        input={() => {}}
      />
    </form>
  )
}
