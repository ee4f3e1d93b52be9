import { useEffect } from 'react'
import { useTranslation } from '#web/i18n/use-translation.ts'
import type { Order } from '#contract/billing.ts'
import { BankCheck } from '#web/features/billing/payments/BankCheck.tsx'
import type { ExpressState } from '#web/features/billing/payments/express-messages.ts'
import { Sheet } from '#web/ui/Sheet.tsx'
import { useExpress, type ExpressPurchase } from './use-express.ts'
import styles from './express.module.css'

interface ExpressProps extends ExpressPurchase {
  onState: (state: ExpressState) => void
  onDone: (order: Order) => void
  onOtherPrice: (cents: number) => void
  onOwned: () => void
  /** Receives a function that closes the open sheet or check. */
  leaver?: { current: (() => void) | null }
}

/** The button of an express wallet, and the sheets that follow a press, over the whole document. */
export function Express({ onState, onDone, leaver, onOtherPrice, onOwned, ...params }: ExpressProps) {
  const { t } = useTranslation()
  const express = useExpress(params, { onOtherPrice, onOwned })
  const { place, state, step, problem, isOpen } = express
  useEffect(() => onState({ wallet: state, open: isOpen, problem }), [onState, state, isOpen, problem])
  const done = step.at === 'done' ? step.made : null
  useEffect(() => {
    if (done) onDone(done)
  }, [done, onDone])
  useEffect(() => {
    if (leaver) leaver.current = express.leave
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
        <Sheet title={t('order.bank')} onClose={express.leaveCheck} tall>
          <BankCheck url={step.url} onChecked={() => express.checked(step.made)} />
        </Sheet>
      )}
    </>
  )
}
