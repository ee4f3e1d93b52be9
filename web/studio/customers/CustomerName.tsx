import { getCustomer, type Customer } from '#contract/studio/customers.ts'
import { usePermissions } from '#web/studio/session-queries.ts'
import { useTexts } from '#web/studio/texts.ts'
import { EmailText } from '#web/studio/ui/EmailText.tsx'
import { PageLink } from '#web/studio/ui/PageLink.tsx'
import { customerName } from './customer-copy.ts'
import styles from './customers.module.css'

/**
 * The name of a customer in a list, with a link if the role may open the customer's page. An unverified e-mail address
 * from a purchase is marked.
 */
export function CustomerName({
  id,
  ...names
}: Pick<Customer, 'id' | 'email' | 'display_name' | 'order_email'>) {
  const { t } = useTexts()
  const name = customerName(names)
  const text = <EmailText text={name ?? id} />
  const mayOpen = usePermissions()(getCustomer)
  return (
    <>
      {mayOpen ? <PageLink to={`/studio/customers/${id}`}>{text}</PageLink> : text}
      {name !== null && name === names.order_email && (
        <span className={styles.mark}>{t('customers.fromPurchase')}</span>
      )}
    </>
  )
}
