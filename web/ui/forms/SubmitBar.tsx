import { useId, type ReactNode } from 'react'
import { money } from '#web/lib/format-money.ts'
import { Button } from '#web/ui/Button.tsx'
import styles from './submit-bar.module.css'

interface SubmitBarProps {
  /** What is charged now, in cents. */
  cents: number
  currency: string
  /** Returns the label of the button with the price. */
  label: (price: string) => string
  /** The full price terms, read out with the button. */
  terms: string
  /** Other terms that may replace them. The bar reserves space for the longest, so that a choice causes no layout shift. */
  otherTerms?: string[]
  /** Choices in the bar, above the terms. */
  children?: ReactNode
  /** An express button beside the main one. */
  express?: ReactNode
  /** Another button below. */
  more?: ReactNode
  /** A secondary line below. */
  note?: string
  /** Replaces the price on the button while it works. */
  busy?: string
  disabled?: boolean
  /** Without it, the button submits the form around the bar. */
  onPress?: () => void
}

/** The sticky bar below an offer: the terms, and the button with the price. */
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
