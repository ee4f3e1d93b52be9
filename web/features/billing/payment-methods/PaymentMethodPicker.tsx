import type { OfferedGateway } from '#contract/billing.ts'
import type { Translate } from '#web/i18n/index.ts'
import type { OrderFormParams } from '#web/lib/paths.ts'
import { useTranslation } from '#web/i18n/use-translation.ts'
import styles from './payment-method-picker.module.css'

/** The payment methods for what is chosen: those that take the amount, and for a plan those that can be charged again. */
export function paymentMethodsFor(
  kind: OrderFormParams['kind'],
  gateways: OfferedGateway[],
  planId?: string,
): OfferedGateway[] {
  const what = kind === 'plan' ? planId : kind
  const takes = ({ not_for = [] }: OfferedGateway) => what === undefined || !not_for.includes(what)
  return gateways.filter((gateway) => takes(gateway) && !(kind === 'plan' && gateway.one_off_only))
}

interface PaymentMethodPickerProps {
  gateways: OfferedGateway[]
  chosen: number
  onChoose: (i: number) => void
  /** The saved card, beside them. */
  saved?: { name: string; chosen: boolean; onChoose: () => void } | undefined
}

/** The payment methods, if there is more than one. */
export function PaymentMethodPicker({ gateways, chosen, onChoose, saved }: PaymentMethodPickerProps) {
  const { t } = useTranslation()
  if (gateways.length < 2 && !saved) return null
  return (
    <fieldset className={styles.methods}>
      <legend>{t('pay.how')}</legend>
      {saved && (
        <label className={styles.method}>
          <input type="radio" name="payment_method" checked={saved.chosen} onChange={saved.onChoose} />
          {saved.name}
        </label>
      )}
      {gateways.map(({ id, kind }, i) => (
        <label key={id + kind} className={styles.method}>
          <input
            type="radio"
            name="payment_method"
            checked={i === chosen && !saved?.chosen}
            onChange={() => onChoose(i)}
          />
          {nameOf(t, { id, kind }, gateways)}
        </label>
      ))}
    </fieldset>
  )
}

/** If the sandbox is offered beside a real gateway, the label says which of the two it is. */
function nameOf(t: Translate, { id, kind }: OfferedGateway, gateways: OfferedGateway[]): string {
  if (id === 'paypal') return t('pay.paypal')
  const method = t(`pay.${kind}`)
  const isOneOfTwo = gateways.some((other) => other.kind === kind && other.id !== id && other.id !== 'paypal')
  return id === 'sandbox' && isOneOfTwo ? t('pay.trial', { way: method }) : method
}
