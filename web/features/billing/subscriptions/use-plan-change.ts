import { useState } from 'react'
import type { createOrder, OfferedGateway } from '#contract/billing.ts'
import type { BodyOf } from '#contract/endpoint.ts'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { ApiError } from '#web/lib/api.ts'
import { createOrderReuser, priceFromError } from '#web/features/billing/payments/pay.ts'

type AcceptedTerms = Pick<BodyOf<typeof createOrder>, 'amount_cents' | 'consent'>

/**
 * Schedules a change of plan for a subscriber's next period; choosing the current plan reverts the change. The order
 * names any method offered for plans, but the server charges the subscription's payment method.
 * @param onPriceChanged called with the current price if it differs from the price shown to the user
 */
export function usePlanChange(
  { id: gateway, kind: method }: Pick<OfferedGateway, 'id' | 'kind'>,
  onPriceChanged?: (cents: number) => void,
) {
  const { t } = useTranslation()
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState('')
  const [orderReuser] = useState(createOrderReuser)
  /** @returns whether the change was scheduled */
  const change = async (plan_id: string, accepted: AcceptedTerms = {}): Promise<boolean> => {
    setBusy(true)
    setProblem('')
    try {
      await orderReuser.createOrReuse({ kind: 'plan', plan_id, gateway, method, ...accepted })
      return true
    } catch (error) {
      const cents = priceFromError(error)
      if (cents !== undefined) onPriceChanged?.(cents)
      setProblem(error instanceof ApiError && error.message ? error.message : t('shopping.changeFailed'))
      return false
    } finally {
      orderReuser.reset()
      setBusy(false)
    }
  }
  return { busy, problem, change }
}
