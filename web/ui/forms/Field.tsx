import { useId, useState, type HTMLInputTypeAttribute, type HTMLAttributes } from 'react'
import styles from './field.module.css'

interface FieldProps {
  name: string
  label: string
  hint?: string
  value: string
  /** The validation error; empty if there is none. */
  message: string
  /** The server's error about the value. */
  refusal?: string
  type?: HTMLInputTypeAttribute
  inputMode?: HTMLAttributes<HTMLInputElement>['inputMode']
  autoComplete: string
  required?: boolean
  autoFocus?: boolean
  /** Labels of a password's button that shows and hides the typed text. */
  reveal?: { show: string; hide: string }
  /** For longer texts: the number of visible lines. */
  lines?: number
  onValue: (value: string) => void
  onLeave: () => void
  input: (element: HTMLElement | null) => void
}

/** The properties that a form gives to each of its fields. */
export type FormField = Pick<
  FieldProps,
  'name' | 'value' | 'message' | 'refusal' | 'onValue' | 'onLeave' | 'input'
>

/** A labelled text field with its message below. */
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
  required = true,
  autoFocus,
  reveal,
  lines,
  onValue,
  onLeave,
  input,
}: FieldProps) {
  const id = useId()
  const [shown, setShown] = useState(false)
  const note = message || refusal || hint
  const invalid = Boolean(message || refusal)
  const inputProps = {
    id,
    ref: (element: HTMLElement | null) => {
      // Sets the attribute itself, which a dialog needs when it opens; React only focuses the element.
      if (autoFocus) element?.setAttribute('autofocus', '')
      input(element)
    },
    name,
    inputMode,
    autoComplete,
    value,
    required,
    autoFocus,
    'aria-invalid': invalid,
    'aria-describedby': `${id}-note`,
    onChange: (event: { target: { value: string } }) => onValue(event.target.value),
    onBlur: onLeave,
  }
  return (
    <div className={styles.field}>
      <label htmlFor={id}>{label}</label>
      {lines ? (
        <textarea {...inputProps} rows={lines} />
      ) : (
        <input {...inputProps} type={shown ? 'text' : type} />
      )}
      {reveal && (
        <button type="button" className={styles.reveal} aria-pressed={shown} onClick={() => setShown(!shown)}>
          {shown ? reveal.hide : reveal.show}
        </button>
      )}
      <p id={`${id}-note`} className={invalid ? styles.bad : styles.hint}>
        {note}
      </p>
    </div>
  )
}
