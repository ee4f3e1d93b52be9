import { useId } from 'react'
import { money } from '#web/lib/money.ts'
import { Button } from './Button.tsx'
import styles from './submit-bar.module.css'

interface SubmitBarProps {
  /** What is charged now, in cents. */
  cents: number
  currency: string
  /** What the button says of the price. */
  label: (price: string) => string
  /** The whole price in words, read out with the button. */
  terms: string
  /** A quiet line beneath. */
  note?: string
  /** What the button says in place of the price while it works. */
  busy?: string
  disabled?: boolean
  /** Without it the button submits the form that the bar is in. */
  onPress?: () => void
}

/** Stays at the foot of what is bought: the terms, and the button with the price. */
export function SubmitBar(props: SubmitBarProps) {
  const { cents, currency, label, terms, note, busy, disabled, onPress } = props
  const id = useId()
  return (
    <div className={styles.bar}>
      <p id={id}>{terms}</p>
      <Button
        wide
        type={onPress ? 'button' : 'submit'}
        disabled={disabled || Boolean(busy)}
        onClick={onPress}
        aria-describedby={id}
      >
        {busy || label(money(cents, currency))}
      </Button>
      {note && <p className={styles.note}>{note}</p>}
    </div>
  )
}
