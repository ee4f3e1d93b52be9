import type { Customer } from '#contract/studio/customers.ts'
import type { Translate } from '#web/studio/texts.ts'

/** Returns a customer's e-mail address, else the name, else the address from a purchase; null if all are missing. */
export const customerName = ({
  email,
  display_name,
  order_email,
}: Pick<Customer, 'email' | 'display_name' | 'order_email'>) => email ?? display_name ?? order_email

/** Returns a customer's e-mail address, with a note if it is not verified or is known only from a purchase. */
export function emailText({ email, email_verified, order_email }: Customer, t: Translate): string {
  if (email !== null) return email_verified ? email : `${email} (${t('customers.notVerified')})`
  return order_email === null ? '–' : `${order_email} (${t('customers.fromPurchase')})`
}
