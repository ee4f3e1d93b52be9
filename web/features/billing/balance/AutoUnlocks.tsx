import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { stopAutoUnlock } from '#contract/balance.ts'
import type { AutoUnlock } from '#contract/top-ups.ts'
import { balanceQuery, refetchLockedOffers } from '#web/features/billing/payments/balance-queries.ts'
import { videoQuery } from '#web/features/catalog/queries.ts'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { call } from '#web/lib/api.ts'
import { money } from '#web/lib/format-money.ts'
import { notify } from '#web/lib/notify.ts'
import { Button } from '#web/ui/Button.tsx'
import styles from './balance-section.module.css'

/** The dramas with auto-unlock, each with its price limit, its daily limit and a button that turns it off. */
export function AutoUnlocks({ list }: { list: AutoUnlock[] }) {
  const { t } = useTranslation()
  return (
    <div className={styles.auto}>
      <h3>{t('auto.title')}</h3>
      {list.length === 0 && <p>{t('auto.none')}</p>}
      <ul>
        {list.map((one) => (
          <AutoUnlockRow key={one.video_id} auto={one} />
        ))}
      </ul>
    </div>
  )
}

function AutoUnlockRow({ auto }: { auto: AutoUnlock }) {
  const { t } = useTranslation()
  const queryClient = useQueryClient()
  const { video_id, daily_limit: limit, remaining_today: left, max_price_cents, currency } = auto
  const { data: video, isLoading } = useQuery(videoQuery(video_id))
  const title = video?.title ?? ''
  const [busy, setBusy] = useState(false)
  const stop = async () => {
    setBusy(true)
    try {
      const { auto_unlocks } = await call(stopAutoUnlock, { body: { video_id } })
      queryClient.setQueryData(balanceQuery.queryKey, (known) => known && { ...known, auto_unlocks })
      refetchLockedOffers(queryClient)
      notify(t('auto.turnedOff'))
    } catch {
      // A toast has shown the error.
      setBusy(false)
    }
  }
  return (
    <li className={styles.line} aria-busy={isLoading}>
      <div>
        <p className={styles.name}>{title}</p>
        <p>
          {t('auto.limits', { price: money(max_price_cents, currency), limit })}{' '}
          {t('auto.remainingToday', { left })}
        </p>
      </div>
      <Button
        variant="quiet"
        disabled={busy}
        aria-label={t('auto.turnOffOne', { title })}
        onClick={() => void stop()}
      >
        {t('auto.turnOff')}
      </Button>
    </li>
  )
}
