import type { FormEvent, ReactNode } from 'react'
import { SignInAgain } from './SignInAgain.tsx'
import styles from './account-page.module.css'

/** A narrow page with one form. */
export function AccountPage({
  title,
  lead,
  above,
  children,
}: {
  title: string
  lead?: string
  /** Shown above the title. */
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

/**
 * The page's form. Above the button it shows errors that concern no single field and, if the session has expired, a
 * sign-in link.
 */
export function AccountForm({
  form,
  children,
}: {
  form: { submit: (event: FormEvent) => void; busy: boolean; formError: string; sessionExpired: boolean }
  children: ReactNode
}) {
  return (
    <form className={styles.form} onSubmit={form.submit} noValidate aria-busy={form.busy}>
      {form.formError && (
        <p className={styles.problem} role="alert">
          {form.formError}
        </p>
      )}
      {form.sessionExpired && <SignInAgain />}
      {children}
    </form>
  )
}

export function AccountLinks({ children }: { children: ReactNode }) {
  return <div className={styles.links}>{children}</div>
}
