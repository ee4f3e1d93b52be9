import { useId, type ReactNode } from 'react'
import { money } from '#web/lib/format-money.ts'
import { Button } from '#web/ui/Button.tsx'
import styles from './submit-bar.module.css'

interface SubmitBarProps {
  /** The amount that is charged now, in cents. */
  cents: number
  currency: string
  /** Returns the button's label for a formatted price. */
  label: (price: string) => string
  /** The full terms of the price; screen readers read them with the button. */
  terms: string
  /**
   * Other terms that may be shown later. The bar reserves space for the longest terms, so that a new choice does not
   * move the layout.
   */
  otherTerms?: string[]
  /** Choices, shown above the terms. */
  children?: ReactNode
  /** An express wallet's button, beside the main button. */
  express?: ReactNode
  /** Another button, below the main button. */
  more?: ReactNode
  /** A secondary line, at the bottom. */
  note?: string
  /** Replaces the button's label while the payment is in progress. */
  busy?: string
  disabled?: boolean
  /** If omitted, the button submits the form around the bar. */
  onPress?: () => void
}

/** A bar that sticks to the bottom: the terms, and the button with the price. */
export function SubmitBar(props: SubmitBarProps) {
  const {
    cents,
    currency,
    label,
    terms,
    otherTerms = [],
    children,
    express,
    more,
    note,
    busy,
    disabled,
    onPress,
  } = props
  const id = useId()
  return (
    <div className={styles.bar}>
      {children}
      <div className={styles.terms}>
        <p id={id}>{terms}</p>
        {otherTerms.map((other) => (
          <p key={other} aria-hidden="true">
            {other}
          </p>
        ))}
      </div>
      <div className={styles.buttons}>
        {express}
        <Button
          wide
          type={onPress ? 'button' : 'submit'}
          disabled={disabled || Boolean(busy)}
          onClick={onPress}
          aria-describedby={id}
        >
          {busy || label(money(cents, currency))}
        </Button>
      </div>
      {more}
      {note && <p className={styles.note}>{note}</p>}
    </div>
  )
}
