import type { ButtonHTMLAttributes, Ref } from 'react'
import styles from './button.module.css'

type Look = 'main' | 'quiet' | 'danger' | 'icon'

/** Returns the class of a button's style, for links that look like one. */
export function buttonClass(look: Look, wide = false): string {
  return [styles.button, styles[look], wide && styles.wide].filter(Boolean).join(' ')
}

export function Button({
  look = 'main',
  wide,
  ...rest
}: ButtonHTMLAttributes<HTMLButtonElement> & { look?: Look; wide?: boolean; ref?: Ref<HTMLButtonElement> }) {
  return <button type="button" className={buttonClass(look, wide)} {...rest} />
}
