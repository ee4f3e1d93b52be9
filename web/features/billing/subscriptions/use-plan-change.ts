import { useState } from 'react'
import type { createOrder, OfferedGateway } from '#contract/billing.ts'
import type { BodyOf } from '#contract/endpoint.ts'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { CallRejected } from '#web/lib/api.ts'
import { createOrderOnce, priceIn } from '#web/features/billing/payments/pay.ts'

type Seen = Pick<BodyOf<typeof createOrder>, 'amount_cents' | 'consent'>

/**
 * Plans a subscriber's next period; choosing the current plan reverts that. The server charges the saved method, so any method that
 * is offered for a plan will do.
 * @param onOtherPrice called with the current price if it differs from the shown one
 */
export function usePlanChange(
  { id: gateway, kind: method }: Pick<OfferedGateway, 'id' | 'kind'>,
  onOtherPrice?: (cents: number) => void,
) {
  const { t } = useTranslation()
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState('')
  const [orders] = useState(createOrderOnce)
  /** @returns whether the change was planned */
  const change = async (plan_id: string, seen: Seen = {}): Promise<boolean> => {
    setBusy(true)
    setProblem('')
    try {
      await orders.make({ kind: 'plan', plan_id, gateway, method, ...seen })
      return true
    } catch (error) {
      const cents = priceIn(error)
      if (cents !== undefined) onOtherPrice?.(cents)
      setProblem(error instanceof CallRejected && error.message ? error.message : t('shopping.changeFailed'))
      return false
    } finally {
      orders.forget()
      setBusy(false)
    }
  }
  return { busy, problem, change }
}
