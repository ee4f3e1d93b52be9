import type { FormEvent, ReactNode } from 'react'
import styles from './account-page.module.css'

/** A narrow page with one thing to do. */
export function AccountPage({
  title,
  lead,
  children,
}: {
  title: string
  lead?: string
  children: ReactNode
}) {
  return (
    <section className={styles.page}>
      <title>{title}</title>
      <h1>{title}</h1>
      {lead && <p className={styles.lead}>{lead}</p>}
      {children}
    </section>
  )
}

/** The form of such a page, with what is wrong with it as a whole above the button. */
export function AccountForm({
  form,
  children,
}: {
  form: { submit: (event: FormEvent) => void; busy: boolean; problem: string }
  children: ReactNode
}) {
  return (
    <form className={styles.form} onSubmit={form.submit} noValidate aria-busy={form.busy}>
      {form.problem && (
        <p className={styles.problem} role="alert">
          {form.problem}
        </p>
      )}
      {children}
    </form>
  )
}

export function AccountLinks({ children }: { children: ReactNode }) {
  return <div className={styles.links}>{children}</div>
}
