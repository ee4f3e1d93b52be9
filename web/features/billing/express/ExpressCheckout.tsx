import { useEffect } from 'react'
import { useTranslation } from '#web/i18n/use-translation.ts'
import type { Order } from '#contract/billing.ts'
import { ThreeDSecureFrame } from '#web/features/billing/payments/ThreeDSecureFrame.tsx'
import type { ExpressState } from '#web/features/billing/payments/express-messages.ts'
import { Sheet } from '#web/ui/Sheet.tsx'
import { useExpress, type ExpressPurchase } from './use-express.ts'
import styles from './express-checkout.module.css'

interface ExpressCheckoutProps extends ExpressPurchase {
  onState: (state: ExpressState) => void
  onDone: (order: Order) => void
  onPriceChanged: (cents: number) => void
  onOwned: () => void
  /** Set to a function that closes the open sheet or 3-D Secure check. */
  closeRef?: { current: (() => void) | null }
}

/**
 * The button of an express wallet. A press opens the wallet's sheet, and possibly a 3-D Secure check, over the whole
 * document.
 */
export function ExpressCheckout({
  onState,
  onDone,
  closeRef,
  onPriceChanged,
  onOwned,
  ...params
}: ExpressCheckoutProps) {
  const { t } = useTranslation()
  const express = useExpress(params, { onPriceChanged, onOwned })
  const { place, state, step, problem, isOpen } = express
  useEffect(() => onState({ wallet: state, open: isOpen, problem }), [onState, state, isOpen, problem])
  const done = step.at === 'done' ? step.result : null
  useEffect(() => {
    if (done) onDone(done)
  }, [done, onDone])
  useEffect(() => {
    if (closeRef) closeRef.current = express.close
  })
  return (
    <>
      <div ref={place} className={styles.place} data-state={state} data-open={isOpen} />
      {(step.at === 'working' || step.at === 'done') && (
        <p className={styles.working} role="status">
          {t('order.working')}
        </p>
      )}
      {step.at === 'bank' && (
        <Sheet title={t('order.bankVerification')} onClose={express.leaveCheck} tall>
          <ThreeDSecureFrame url={step.url} onChecked={() => express.checked(step.result)} />
        </Sheet>
      )}
    </>
  )
}
