import { useId, type ComponentProps } from 'react'
import type { Field } from '#web/ui/forms/Field.tsx'
import styles from './settings.module.css'

type CheckboxProps = Pick<
  ComponentProps<typeof Field>,
  'name' | 'label' | 'value' | 'message' | 'onValue' | 'onLeave' | 'input'
>

/** A checkbox in a form of text values: an empty value means unchecked, any other value means checked. */
export function Checkbox({ name, label, value, message, onValue, onLeave, input }: CheckboxProps) {
  const id = useId()
  return (
    <div>
      <label className={styles.tick}>
        <input
          ref={input}
          type="checkbox"
          name={name}
          checked={value !== ''}
          required
          aria-invalid={message !== ''}
          aria-describedby={id}
          onChange={(event) => onValue(event.target.checked ? 'yes' : '')}
          onBlur={onLeave}
        />
        {label}
      </label>
      <p id={id} className={styles.bad}>
        {message}
      </p>
    </div>
  )
}
