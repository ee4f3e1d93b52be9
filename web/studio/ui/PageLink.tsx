import type { ReactNode } from 'react'
import { Link } from 'react-router'
import styles from './page.module.css'

/** A link to another page of the studio, large enough to touch. */
export function PageLink({
  to,
  from,
  children,
}: {
  to: string
  /** The router state that the page needs for its link back, such as the filters of a list. */
  from?: string
  children: ReactNode
}) {
  return (
    <Link className={styles.link} to={to} state={from}>
      {children}
    </Link>
  )
}

/** A link to another site, such as a gateway. It opens in another tab. */
export function ExternalLink({ href, children }: { href: string; children: ReactNode }) {
  return (
    <a className={styles.link} href={href} target="_blank" rel="noreferrer">
      {children}
    </a>
  )
}

/** A link to a page for viewers. It opens in another tab. */
export function SiteLink({ href, children }: { href: string; children: ReactNode }) {
  return (
    <a className={styles.link} href={href} target="_blank">
      {children}
    </a>
  )
}
