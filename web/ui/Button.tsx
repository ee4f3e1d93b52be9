import type { ButtonHTMLAttributes, Ref } from 'react'
import styles from './button.module.css'

type ButtonVariant = 'main' | 'quiet' | 'danger' | 'icon'

/** Returns the class of a button's style, for links that look like buttons. */
export function buttonClass(variant: ButtonVariant, wide = false): string {
  return [styles.button, styles[variant], wide && styles.wide].filter(Boolean).join(' ')
}

export function Button({
  variant = 'main',
  wide,
  ...rest
}: ButtonHTMLAttributes<HTMLButtonElement> & {
  variant?: ButtonVariant
  wide?: boolean
  ref?: Ref<HTMLButtonElement>
}) {
  return <button type="button" className={buttonClass(variant, wide)} {...rest} />
}
