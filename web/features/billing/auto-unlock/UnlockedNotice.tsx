import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { stopAutoUnlock, undoAutoUnlock } from '#contract/balance.ts'
import type { Order } from '#contract/billing.ts'
import { refetchLockedOffers } from '#web/features/billing/payments/balance-queries.ts'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { call, ApiError, notifyRejection } from '#web/lib/api.ts'
import { money } from '#web/lib/format-money.ts'
import { notify } from '#web/lib/notify.ts'
import { Button } from '#web/ui/Button.tsx'
import { Icon } from '#web/ui/Icon.tsx'
import { reserveLineSpace } from './reserve-line-space.ts'
import styles from './auto-unlock.module.css'

interface UnlockedNoticeProps {
  order: Order
  /** The episode's number. */
  number: number
  onClose: () => void
}

/**
 * Shows which episode was unlocked automatically and at which price. A button undoes the unlock or, if that is
 * impossible, turns auto-unlock off.
 */
export function UnlockedNotice({ order, number, onClose }: UnlockedNoticeProps) {
  const { t } = useTranslation()
  const queryClient = useQueryClient()
  const [busy, setBusy] = useState(false)
  const price = money(order.amount_cents, order.currency)
  const { id, video_id = '', auto_unlock: autoUnlock } = order
  const canUndo = autoUnlock?.can_undo ?? false
  useCloseAt(canUndo ? autoUnlock?.undo_until : undefined, onClose)
  const press = async () => {
    setBusy(true)
    try {
      if (canUndo) await call(undoAutoUnlock, { body: { order_id: id } })
      else await call(stopAutoUnlock, { body: { video_id } })
      notify(canUndo ? t('auto.undone', { price }) : t('auto.turnedOff'))
      onClose()
      refetchLockedOffers(queryClient)
      void queryClient.invalidateQueries()
    } catch (error) {
      setBusy(false)
      if (!(error instanceof ApiError)) return
      notifyRejection(error)
      onClose()
    }
  }
  return (
    <div ref={reserveLineSpace} className={styles.line} role="status">
      <p>{t('auto.unlocked', { number, price })}</p>
      <Button variant="quiet" disabled={busy} onClick={() => void press()}>
        {t(canUndo ? 'auto.undo' : 'auto.turnOff')}
      </Button>
      <Button variant="icon" aria-label={t('close')} onClick={onClose}>
        <Icon name="close" size={20} />
      </Button>
    </div>
  )
}

/**
 * Closes the notice at the end of the undo period. It is shown for a minimum time, because the browser's clock may
 * differ from the site's.
 */
function useCloseAt(time: string | undefined, onClose: () => void): void {
  const close = useRef(onClose)
  close.current = onClose
  useEffect(() => {
    const left = Date.parse(time ?? '') - Date.now()
    const timer = setTimeout(() => close.current(), Math.min(Math.max(left || 0, minShownMs), maxShownMs))
    return () => clearTimeout(timer)
  }, [time])
}

const minShownMs = 10_000
const maxShownMs = 2 * 60_000
