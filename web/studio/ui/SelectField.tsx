import { useId } from 'react'
import styles from './select-field.module.css'

/** A labelled select with a few options. */
export function SelectField({
  label,
  value,
  options,
  hint,
  onChoose,
}: {
  label: string
  value: string
  options: readonly { value: string; label: string }[]
  hint?: string
  onChoose: (value: string) => void
}) {
  const id = useId()
  return (
    <div className={styles.choice}>
      <label htmlFor={id}>{label}</label>
      <select
        id={id}
        value={value}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        onChange={({ target }) => onChoose(target.value)}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
      {hint !== undefined && <p id={`${id}-hint`}>{hint}</p>}
    </div>
  )
}
