import { useId, useState, type HTMLInputTypeAttribute, type HTMLAttributes } from 'react'
import styles from './field.module.css'

interface FieldProps {
  name: string
  label: string
  hint?: string
  value: string
  /** The validation error; empty if the value is valid. */
  message: string
  /** The server's error for this field. */
  refusal?: string
  type?: HTMLInputTypeAttribute
  inputMode?: HTMLAttributes<HTMLInputElement>['inputMode']
  autoComplete: string
  required?: boolean
  autoFocus?: boolean
  /** Labels of the button that shows and hides a typed password. */
  reveal?: { show: string; hide: string }
  /** The number of visible lines of a text area; omitted for one line. */
  lines?: number
  onValue: (value: string) => void
  onLeave: () => void
  input: (element: HTMLElement | null) => void
}

/** The properties that a form sets for each of its fields. */
export type FormField = Pick<
  FieldProps,
  'name' | 'value' | 'message' | 'refusal' | 'onValue' | 'onLeave' | 'input'
>

/** A text field with a label, and its message below. */
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
      // Sets the `autofocus` attribute, by which an opening dialog chooses the element to focus. React would not set
      // it, but focus the element once.
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
