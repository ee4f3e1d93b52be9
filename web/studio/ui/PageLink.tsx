import type { ReactNode } from 'react'
import { Link } from 'react-router'
import styles from './page.module.css'

/** A link to another page of the studio, large enough for a thumb. */
export function PageLink({ to, children }: { to: string; children: ReactNode }) {
  return (
    <Link className={styles.link} to={to}>
      {children}
    </Link>
  )
}
