import type { ReactNode } from 'react'
import { Link } from 'react-router'
import styles from './page.module.css'

/** A link to another page of the studio, large enough for a thumb. */
export function PageLink({
  to,
  from,
  children,
}: {
  to: string
  /** What the page may need to lead back to where somebody was, such as the filters of a list. */
  from?: string
  children: ReactNode
}) {
  return (
    <Link className={styles.link} to={to} state={from}>
      {children}
    </Link>
  )
}

/** The same to a page that viewers see, which opens beside the studio. */
export function ViewersLink({ href, children }: { href: string; children: ReactNode }) {
  return (
    <a className={styles.link} href={href} target="_blank">
      {children}
    </a>
  )
}
