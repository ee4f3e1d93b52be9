import type { FormEvent, ReactNode } from 'react'
import { SignInAgain } from './SignInAgain.tsx'
import styles from './account-page.module.css'

/** A narrow page with one thing to do. */
export function AccountPage({
  title,
  lead,
  above,
  children,
}: {
  title: string
  lead?: string
  /** Before the title. */
  above?: ReactNode
  children: ReactNode
}) {
  return (
    <section className={styles.page}>
      <title>{title}</title>
      {above}
      <h1>{title}</h1>
      {lead && <p className={styles.lead}>{lead}</p>}
      {children}
    </section>
  )
}

/** The form of such a page, with what is wrong with it as a whole above the button, and the way on where the session has ended. */
export function AccountForm({
  form,
  children,
}: {
  form: { submit: (event: FormEvent) => void; busy: boolean; problem: string; signInFirst: boolean }
  children: ReactNode
}) {
  return (
    <form className={styles.form} onSubmit={form.submit} noValidate aria-busy={form.busy}>
      {form.problem && (
        <p className={styles.problem} role="alert">
          {form.problem}
        </p>
      )}
      {form.signInFirst && <SignInAgain />}
      {children}
    </form>
  )
}

export function AccountLinks({ children }: { children: ReactNode }) {
  return <div className={styles.links}>{children}</div>
}
