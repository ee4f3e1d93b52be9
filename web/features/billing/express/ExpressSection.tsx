import { useCallback, useState } from 'react'
import { useTranslation } from '#web/i18n/use-translation.ts'
import type { Order } from '#contract/billing.ts'
import { ProblemNote } from '#web/features/billing/payments/ProblemNote.tsx'
import type { ExpressState } from '#web/features/billing/payments/express-messages.ts'
import { ExpressCheckout } from './ExpressCheckout.tsx'
import type { ExpressPurchase } from './use-express.ts'
import styles from './express-checkout.module.css'

interface ExpressSectionProps extends ExpressPurchase {
  terms: string
  onDone: (order: Order) => void
  onPriceChanged: (cents: number) => void
  onOwned: () => void
}

/** The express wallet above the card form: its terms, its button, and a divider. */
export function ExpressSection({ terms, ...express }: ExpressSectionProps) {
  const { t } = useTranslation()
  const [state, setState] = useState<ExpressState>()
  const onState = useCallback((next: ExpressState) => setState(next), [])
  return (
    <div className={styles.above} data-state={state?.wallet}>
      <p>{terms}</p>
      <ExpressCheckout {...express} onState={onState} />
      <ProblemNote problem={state?.problem ?? null} />
      <span className={styles.or}>{t('pay.card')}</span>
    </div>
  )
}
