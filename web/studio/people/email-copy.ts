import type { Person } from '#contract/studio/people.ts'
import type { Say } from '#web/studio/texts.ts'

/** What somebody is called; null for a guest who has said nothing of themselves. */
export const nameOf = ({
  email,
  display_name,
  order_email,
}: Pick<Person, 'email' | 'display_name' | 'order_email'>) => email ?? display_name ?? order_email

/** Somebody's address, with how far it can be trusted. */
export function emailText({ email, email_verified, order_email }: Person, t: Say): string {
  if (email !== null) return email_verified ? email : `${email} (${t('people.notVerified')})`
  return order_email === null ? '–' : `${order_email} (${t('people.atPurchase')})`
}
