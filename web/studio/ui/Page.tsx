import type { ReactNode } from 'react'
import styles from './page.module.css'

/** A screen of the studio with its title, actions and content. */
export function Page({
  title,
  lead,
  actions,
  children,
}: {
  title: string
  lead?: ReactNode
  /** Buttons, shown beside the title. */
  actions?: ReactNode
  children: ReactNode
}) {
  return (
    <section className={styles.page}>
      <title>{`${title} · Studio`}</title>
      <header className={styles.head}>
        <div>
          <h1 tabIndex={-1}>{title}</h1>
          {lead && <p className={styles.lead}>{lead}</p>}
        </div>
        {actions && <div className={styles.actions}>{actions}</div>}
      </header>
      {children}
    </section>
  )
}

/** A part of a screen, with a heading. */
export function Panel({
  id,
  title,
  actions,
  children,
}: {
  /** The id, for links on the same page. */
  id?: string
  title: string
  actions?: ReactNode
  children: ReactNode
}) {
  return (
    <section id={id} className={styles.panel}>
      <header className={styles.head}>
        <h2>{title}</h2>
        {actions && <div className={styles.actions}>{actions}</div>}
      </header>
      {children}
    </section>
  )
}
