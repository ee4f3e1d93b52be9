import '#web/i18n/balance.ts'
import { useQueryClient, type QueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { autoUnlock } from '#contract/balance.ts'
import type { Offer, Order } from '#contract/billing.ts'
import { balanceQuery } from '#web/features/billing/payments/balance-queries.ts'
import { createKeyedSender, isLost } from '#web/features/billing/payments/pay.ts'
import { playingQuery } from '#web/features/media/queries.ts'
import { useCountdown } from '#web/features/media/use-countdown.ts'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { call, CallRejected } from '#web/lib/api.ts'
import { money } from '#web/lib/money.ts'
import { notify } from '#web/lib/notify.ts'
import { Button } from '#web/ui/Button.tsx'
import { mountPart } from '#web/ui/mount-part.tsx'
import { UnlockedLine } from './UnlockedLine.tsx'
import styles from './auto-unlock.module.css'

/** Long enough to read the price and to press the button. */
const secondsBefore = 3

interface AutoUnlockingProps {
  offer: Pick<Offer, 'episode' | 'price'>
  /** Told once the episode may be watched, or what is offered has changed. */
  onPaid: () => void
  /** The person chooses otherwise, or it was refused. */
  onStop: () => void
}

/** Says that a locked episode is about to be unlocked from the balance, for how much, and does so unless the person stops it. */
export function AutoUnlocking({ offer: { episode, price }, onPaid, onStop }: AutoUnlockingProps) {
  const { t } = useTranslation()
  const queryClient = useQueryClient()
  const [unlock] = useState(createUnlocker)
  const unlockIt = async () => {
    const order = await unlock(episode.id, price.episode_cents)
    const line = (close: () => void) => <UnlockedLine order={order} number={episode.number} onClose={close} />
    mountPart(queryClient, line, styles.lines)
  }
  const run = async () => {
    try {
      await unlockIt()
    } catch (error) {
      if (error instanceof CallRejected) notify(error.message)
      if (isLost(error)) {
        notify(t('order.unsure'))
        // Under the same key, so that it is said and can be undone. Where it was bought otherwise, that is refused.
        whenPlayable(queryClient, episode.id, () => void unlockIt().catch(() => {}))
      }
      onStop()
    }
    void queryClient.invalidateQueries({ queryKey: balanceQuery.queryKey })
    onPaid()
  }
  const { seconds } = useCountdown(secondsBefore, () => void run())
  return (
    <section className={styles.soon}>
      {/* Read out once, the seconds are not. */}
      <div role="status">
        <h2>
          {t('auto.soon', { number: episode.number, price: money(price.episode_cents, price.currency) })}
        </h2>
        <p>{t('auto.soonText')}</p>
      </div>
      <p>{seconds ? t('end.countdown', { count: seconds }) : t('order.working')}</p>
      <Button look="quiet" disabled={!seconds} onClick={onStop}>
        {t('auto.stop')}
      </Button>
    </section>
  )
}

/** Does something once an episode turns out to be unlocked. */
function whenPlayable(queryClient: QueryClient, episodeId: string, then: () => void): void {
  const { queryKey } = playingQuery(episodeId)
  const stop = queryClient.getQueryCache().subscribe(() => {
    if (queryClient.getQueryData(queryKey)?.kind !== 'playable') return
    stop()
    then()
  })
}

/** Where the answer got lost, it is asked for once more under the same key: the episode may be unlocked. */
function createUnlocker() {
  const withKey = createKeyedSender()
  return (episode_id: string, amount_cents: number): Promise<Order> => {
    const body = { episode_id, amount_cents }
    const send = () => withKey(body, (idempotencyKey) => call(autoUnlock, { body, idempotencyKey }))
    return send().catch((error: unknown) => {
      if (isLost(error)) return send()
      throw error
    })
  }
}
