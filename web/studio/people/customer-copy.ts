import type { Customer } from '#contract/studio/customers.ts'
import type { Translate } from '#web/studio/texts.ts'

/** Returns a user's name or e-mail address; null for a guest with neither. */
export const customerName = ({
  email,
  display_name,
  order_email,
}: Pick<Customer, 'email' | 'display_name' | 'order_email'>) => email ?? display_name ?? order_email

/** Returns a user's e-mail address, with a note on whether it is verified. */
export function emailText({ email, email_verified, order_email }: Customer, t: Translate): string {
  if (email !== null) return email_verified ? email : `${email} (${t('people.notVerified')})`
  return order_email === null ? '–' : `${order_email} (${t('people.atPurchase')})`
}
