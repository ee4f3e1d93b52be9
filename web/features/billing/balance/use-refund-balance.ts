import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { refundBalance } from '#contract/balance.ts'
import type { ResultOf } from '#contract/endpoint.ts'
import { balanceQuery } from '#web/features/billing/payments/balance-queries.ts'
import { createIdempotentSender } from '#web/features/billing/payments/pay.ts'
import { ordersQuery } from '#web/features/billing/payments/queries.ts'
import type { Translate } from '#web/i18n/index.ts'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { call, ApiError, notifyRejection } from '#web/lib/api.ts'
import { money } from '#web/lib/format-money.ts'
import { notify } from '#web/lib/notify.ts'

type Refunds = ResultOf<typeof refundBalance>['refunds']

/** Refunds the unspent paid money and shows the result. If no response arrives, the next press uses the same key. */
export function useRefundBalance(onRefunded: () => void) {
  const { t } = useTranslation()
  const queryClient = useQueryClient()
  const [sendWithKey] = useState(createIdempotentSender)
  const [busy, setBusy] = useState(false)
  const refund = async () => {
    setBusy(true)
    try {
      const body = {}
      const { refunds } = await sendWithKey(body, (idempotencyKey) =>
        call(refundBalance, { body, idempotencyKey }),
      )
      notify(refundText(t, refunds))
      onRefunded()
    } catch (error) {
      // For any other error, a toast was already shown.
      if (error instanceof ApiError) notifyRejection(error)
    } finally {
      setBusy(false)
      for (const { queryKey } of [balanceQuery, ordersQuery]) void queryClient.invalidateQueries({ queryKey })
    }
  }
  return { refund: () => void refund(), busy }
}

function refundText(t: Translate, refunds: Refunds): string {
  return refunds
    .flatMap(({ currency, amount_cents, refused_cents }) => [
      amount_cents > 0 && t('balance.refunded', { amount: money(amount_cents, currency) }),
      refused_cents > 0 && t('balance.refundRefused', { amount: money(refused_cents, currency) }),
    ])
    .filter(Boolean)
    .join(' ')
}
