import type { OfferedGateway } from '#contract/billing.ts'
import type { Translate } from '#web/i18n/index.ts'
import type { OrderFormParams } from '#web/lib/paths.ts'
import { useTranslation } from '#web/i18n/use-translation.ts'
import styles from './payment-method-picker.module.css'

/**
 * Returns the payment methods that accept the price of the item and, for a plan, can be charged again.
 * @param id the id of a plan or a top-up
 */
export function paymentMethodsFor(
  kind: OrderFormParams['kind'],
  gateways: OfferedGateway[],
  id?: string,
): OfferedGateway[] {
  const item = kind === 'plan' || kind === 'top_up' ? id : kind
  const accepts = ({ unsupported_products = [] }: OfferedGateway) =>
    item === undefined || !unsupported_products.includes(item)
  return gateways.filter((gateway) => accepts(gateway) && !(kind === 'plan' && gateway.one_off_only))
}

interface PaymentMethodPickerProps {
  gateways: OfferedGateway[]
  chosen: number
  onChoose: (i: number) => void
  /** The sources that pay by one press, listed beside the methods: the balance and a saved card. */
  oneTap?: { name: string; chosen: boolean; onChoose: () => void }[]
}

/** Lists the payment methods. Renders nothing if there is only one method and no one-tap source. */
export function PaymentMethodPicker({ gateways, chosen, onChoose, oneTap = [] }: PaymentMethodPickerProps) {
  const { t } = useTranslation()
  if (gateways.length < 2 && oneTap.length === 0) return null
  return (
    <fieldset className={styles.methods}>
      <legend>{t('pay.chooseMethod')}</legend>
      {oneTap.map((one) => (
        <label key={one.name} className={styles.method}>
          <input type="radio" name="payment_method" checked={one.chosen} onChange={one.onChoose} />
          {one.name}
        </label>
      ))}
      {gateways.map(({ id, kind }, i) => (
        <label key={id + kind} className={styles.method}>
          <input
            type="radio"
            name="payment_method"
            checked={i === chosen && !oneTap.some((one) => one.chosen)}
            onChange={() => onChoose(i)}
          />
          {nameOf(t, { id, kind }, gateways)}
        </label>
      ))}
    </fieldset>
  )
}

/**
 * Returns a method's label. If the sandbox is offered beside a real gateway with the same kind of method, the label
 * tells them apart.
 */
function nameOf(t: Translate, { id, kind }: OfferedGateway, gateways: OfferedGateway[]): string {
  if (id === 'paypal') return t('pay.paypal')
  const method = t(`pay.${kind}`)
  const isAlsoAtRealGateway = gateways.some(
    (other) => other.kind === kind && other.id !== id && other.id !== 'paypal',
  )
  return id === 'sandbox' && isAlsoAtRealGateway ? t('pay.testMethod', { method }) : method
}
