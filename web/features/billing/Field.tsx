import { useId, type HTMLInputTypeAttribute, type HTMLAttributes } from 'react'
import styles from './field.module.css'

interface FieldProps {
  name: string
  label: string
  hint?: string
  value: string
  /** What is wrong with the value, in words; empty while nothing is. */
  message: string
  /** What the server said about it. */
  refusal?: string
  type?: HTMLInputTypeAttribute
  inputMode?: HTMLAttributes<HTMLInputElement>['inputMode']
  autoComplete: string
  onValue: (value: string) => void
  onLeave: () => void
  input: (element: HTMLInputElement | null) => void
}

/** A labelled text field with its message beneath. */
export function Field({
  name,
  label,
  hint,
  value,
  message,
  refusal = '',
  type = 'text',
  inputMode,
  autoComplete,
  onValue,
  onLeave,
  input,
}: FieldProps) {
  const id = useId()
  const note = message || refusal || hint
  const bad = Boolean(message || refusal)
  return (
    <div className={styles.field}>
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        ref={input}
        name={name}
        type={type}
        inputMode={inputMode}
        autoComplete={autoComplete}
        value={value}
        required
        aria-invalid={bad}
        aria-describedby={`${id}-note`}
        onChange={(event) => onValue(event.target.value)}
        onBlur={onLeave}
      />
      <p id={`${id}-note`} className={bad ? styles.bad : styles.hint}>
        {note}
      </p>
    </div>
  )
}
