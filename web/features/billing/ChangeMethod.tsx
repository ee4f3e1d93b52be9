import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { userQuery } from '#web/features/members/queries.ts'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { notify } from '#web/lib/notify.ts'
import { methodFormPath } from '#web/lib/paths.ts'
import { CouldNotLoad } from '#web/ui/CouldNotLoad.tsx'
import { Sheet } from '#web/ui/Sheet.tsx'
import { OrderFrame } from './OrderFrame.tsx'
import { readChangeReport, type ChangeReport } from './order-report.ts'
import { plansQuery } from './queries.ts'
import { Ways, waysFor } from './Ways.tsx'
import styles from './checkout.module.css'

/** Where a subscriber says what the plan is charged to from now on: the card form's document in a sheet, without a price. */
export function ChangeMethod({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation()
  const queryClient = useQueryClient()
  const plans = useQuery(plansQuery)
  const { plan, next_plan, owed } = useQuery(userQuery).data?.membership ?? {}
  const [chosen, setChosen] = useState(0)
  // Those that take what is charged next.
  const ways = waysFor('plan', plans.data?.gateways ?? [], (owed ?? next_plan ?? plan)?.id)
  const way = ways[chosen]
  const hear = (report: ChangeReport) => {
    if (report.type === 'redirect') return location.assign(report.url)
    onClose()
    notify(t('method.saved'))
    void queryClient.invalidateQueries({ queryKey: userQuery.queryKey })
  }
  return (
    <Sheet title={t('method.title')} onClose={onClose} tall>
      <div className={styles.method}>
        {!way && plans.isError && <CouldNotLoad onRetry={() => void plans.refetch()} />}
        {!way && plans.isPending && (
          <div className={styles.skeleton} role="status" aria-label={t('list.loading')} />
        )}
        {!way && plans.isSuccess && <p className={styles.none}>{t('pay.noGateway')}</p>}
        <Ways gateways={ways} chosen={chosen} onChoose={setChosen} />
        {way && (
          <OrderFrame
            key={way.id + way.kind}
            path={methodFormPath({ gateway: way.id, method: way.kind })}
            title={t('method.title')}
            read={readChangeReport}
            onReport={hear}
          />
        )}
      </div>
    </Sheet>
  )
}
