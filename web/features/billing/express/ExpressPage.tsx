import { useEffect, useRef, useState } from 'react'
import type { GatewayId } from '#contract/billing.ts'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { reportExpress, reportOrder, reportOwned } from '#web/features/billing/payments/order-report.ts'
import { ExpressCheckout } from './ExpressCheckout.tsx'
import type { ExpressState, ToExpress } from '#web/features/billing/payments/express-messages.ts'
import styles from './express-checkout.module.css'

/** The express wallet's document, in a frame of the selling page: the button, and the sheets that it opens. */
export function ExpressPage({ gateway }: { gateway: GatewayId }) {
  const { t } = useTranslation()
  const [purchase, setPurchase] = useState<Extract<ToExpress, { type: 'buy' }>>()
  const closeRef = useRef<(() => void) | null>(null)
  useEffect(() => {
    const onMessage = ({ origin, source, data }: MessageEvent<ToExpress>) => {
      if (origin !== location.origin || source !== parent) return
      if (data.type === 'buy') setPurchase(data)
      if (data.type === 'leave') closeRef.current?.()
    }
    addEventListener('message', onMessage)
    reportExpress({ say: 'here' })
    return () => removeEventListener('message', onMessage)
  }, [])
  const title = t('pay.wallet')
  return (
    <main className={styles.page} aria-label={title}>
      <h1 className="hidden-text">{title}</h1>
      {purchase && (
        <ExpressCheckout
          params={paramsOf(purchase, gateway)}
          choice={purchase.choice}
          acceptedText={purchase.acceptedText}
          immediateDelivery={false}
          onState={reportState}
          onDone={reportOrder}
          onPriceChanged={(cents) => reportExpress({ say: 'price', cents })}
          onOwned={reportOwned}
          closeRef={closeRef}
        />
      )}
    </main>
  )
}

const reportState = (state: ExpressState) => reportExpress({ say: 'state', ...state })

function paramsOf({ choice: { kind, id }, video }: Extract<ToExpress, { type: 'buy' }>, gateway: GatewayId) {
  return { kind, id, gateway, method: 'card' as const, ...(video === undefined ? {} : { video }) }
}
