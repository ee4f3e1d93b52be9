import '#web/i18n/balance.ts'
import { useQueryClient, type QueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { autoUnlock } from '#contract/balance.ts'
import type { Offer, Order } from '#contract/billing.ts'
import { balanceQuery } from '#web/features/billing/payments/balance-queries.ts'
import { createIdempotentSender, isOutcomeUnknown } from '#web/features/billing/payments/pay.ts'
import { playbackQuery } from '#web/features/media/queries.ts'
import { useCountdown } from '#web/features/media/use-countdown.ts'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { call, ApiError, notifyRejection } from '#web/lib/api.ts'
import { money } from '#web/lib/format-money.ts'
import { notify } from '#web/lib/notify.ts'
import { Button } from '#web/ui/Button.tsx'
import { mountRoot } from '#web/ui/mount-root.tsx'
import { UnlockedNotice } from './UnlockedNotice.tsx'
import styles from './auto-unlock.module.css'

/** Enough time to read the price and press the button. */
const countdownSeconds = 3

interface AutoUnlockCountdownProps {
  offer: Pick<Offer, 'episode' | 'price'>
  /** Called after the attempt, whatever its result, because the episode or its offer may have changed. */
  onPaid: () => void
  /** Called when the viewer stops the unlock, or when it fails. */
  onStop: () => void
}

/**
 * Announces that a locked episode will be unlocked from the balance, and at which price. Unlocks the episode after a
 * countdown that the viewer can stop.
 */
export function AutoUnlockCountdown({ offer: { episode, price }, onPaid, onStop }: AutoUnlockCountdownProps) {
  const { t } = useTranslation()
  const queryClient = useQueryClient()
  const [unlock] = useState(createUnlocker)
  const unlockEpisode = async () => {
    const order = await unlock(episode.id, price.episode_cents)
    const line = (close: () => void) => (
      <UnlockedNotice order={order} number={episode.number} onClose={close} />
    )
    mountRoot(queryClient, line, styles.lines)
  }
  const run = async () => {
    try {
      await unlockEpisode()
    } catch (error) {
      if (error instanceof ApiError) notifyRejection(error)
      if (isOutcomeUnknown(error)) {
        notify(t('order.outcomeUnknown'))
        // Repeats the call with the same key to get the order, which the notice shows with an undo button. The server
        // refuses the call if the episode was bought in another way.
        whenPlayable(queryClient, episode.id, () => void unlockEpisode().catch(() => {}))
      }
      onStop()
    }
    void queryClient.invalidateQueries({ queryKey: balanceQuery.queryKey })
    onPaid()
  }
  const { seconds } = useCountdown(countdownSeconds, () => void run())
  return (
    <section className={styles.countdown}>
      {/* Screen readers announce this element once. The seconds are outside it, so they are not announced. */}
      <div role="status">
        <h2>
          {t('auto.countdown', { number: episode.number, price: money(price.episode_cents, price.currency) })}
        </h2>
        <p>{t('auto.countdownText')}</p>
      </div>
      <p>{seconds ? t('end.countdown', { count: seconds }) : t('order.working')}</p>
      <Button variant="quiet" disabled={!seconds} onClick={onStop}>
        {t('auto.stop')}
      </Button>
    </section>
  )
}

/** Calls `then` once the episode can be played. */
function whenPlayable(queryClient: QueryClient, episodeId: string, then: () => void): void {
  const { queryKey } = playbackQuery(episodeId)
  const stop = queryClient.getQueryCache().subscribe(() => {
    if (queryClient.getQueryData(queryKey)?.kind !== 'playable') return
    stop()
    then()
  })
}

/**
 * Returns a function that unlocks an episode. If no response arrives, it repeats the call once with the same key,
 * because the episode may be unlocked already.
 */
function createUnlocker() {
  const sendWithKey = createIdempotentSender()
  return (episode_id: string, amount_cents: number): Promise<Order> => {
    const body = { episode_id, amount_cents }
    const send = () => sendWithKey(body, (idempotencyKey) => call(autoUnlock, { body, idempotencyKey }))
    return send().catch((error: unknown) => {
      if (isOutcomeUnknown(error)) return send()
      throw error
    })
  }
}
