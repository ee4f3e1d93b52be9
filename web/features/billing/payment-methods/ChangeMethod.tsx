import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { userQuery } from '#web/features/members/queries.ts'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { notify } from '#web/lib/notify.ts'
import { methodFormPath } from '#web/lib/paths.ts'
import { LoadError } from '#web/ui/LoadError.tsx'
import { Sheet } from '#web/ui/Sheet.tsx'
import { OrderFrame } from '#web/features/billing/payments/OrderFrame.tsx'
import { readChangeReport, type ChangeReport } from '#web/features/billing/payments/order-report.ts'
import { plansQuery } from '#web/features/billing/payments/queries.ts'
import { PaymentMethodPicker, paymentMethodsFor } from './PaymentMethodPicker.tsx'
import styles from '#web/features/billing/payments/checkout.module.css'

/** Changes the payment method of a subscription. The sheet frames the page of the card form, which shows no price. */
export function ChangeMethod({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation()
  const queryClient = useQueryClient()
  const plans = useQuery(plansQuery)
  const { plan, next_plan, owed } = useQuery(userQuery).data?.membership ?? {}
  const [chosen, setChosen] = useState(0)
  // Offers only methods that accept the amount of the next charge.
  const methods = paymentMethodsFor('plan', plans.data?.gateways ?? [], (owed ?? next_plan ?? plan)?.id)
  const method = methods[chosen]
  const onReport = (report: ChangeReport) => {
    if (report.type === 'redirect') return location.assign(report.url)
    onClose()
    notify(t('method.saved'))
    void queryClient.invalidateQueries({ queryKey: userQuery.queryKey })
  }
  return (
    <Sheet title={t('method.title')} onClose={onClose} tall>
      <div className={styles.method}>
        {!method && plans.isError && <LoadError onRetry={() => void plans.refetch()} />}
        {!method && plans.isPending && (
          <div className={styles.skeleton} role="status" aria-label={t('list.loading')} />
        )}
        {!method && plans.isSuccess && <p className={styles.none}>{t('pay.noGateway')}</p>}
        <PaymentMethodPicker gateways={methods} chosen={chosen} onChoose={setChosen} />
        {method && (
          <OrderFrame
            key={method.id + method.kind}
            path={methodFormPath({ gateway: method.id, method: method.kind })}
            title={t('method.title')}
            read={readChangeReport}
            onReport={onReport}
          />
        )}
      </div>
    </Sheet>
  )
}
