import '#web/i18n/balance.ts'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useId, useRef, useState } from 'react'
import { setAutoUnlock } from '#contract/balance.ts'
import { balanceQuery, refetchLockedOffers } from '#web/features/billing/payments/balance-queries.ts'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { call, ApiError, notifyRejection } from '#web/lib/api.ts'
import { money } from '#web/lib/format-money.ts'
import { notify } from '#web/lib/notify.ts'
import { Button } from '#web/ui/Button.tsx'
import { Icon } from '#web/ui/Icon.tsx'
import { Sheet } from '#web/ui/Sheet.tsx'
import { reserveLineSpace } from './reserve-line-space.ts'
import styles from './auto-unlock.module.css'

/** A drama for which auto-unlock can be turned on. */
export interface AutoUnlockOffer {
  videoId: string
  title: string
  /** The price of an episode. */
  cents: number
  currency: string
}

interface AutoUnlockPromptProps {
  offer: AutoUnlockOffer
  onDecline: () => void
  onClose: () => void
}

/** The daily limits to choose from; the contract allows up to 50 episodes. */
const limits = [5, 10, 20, 50]
const defaultLimit = 10

/** Offers auto-unlock from the balance in one line over the playing episode. A press shows the terms in a sheet. */
export function AutoUnlockPrompt(props: AutoUnlockPromptProps) {
  const { t } = useTranslation()
  const [shown, setShown] = useState(false)
  useCloseOnPathChange(props.onClose)
  const decline = () => {
    props.onDecline()
    props.onClose()
  }
  return (
    <>
      <section ref={reserveLineSpace} className={styles.lines} aria-label={t('auto.promptTitle')}>
        <div className={styles.line}>
          <p>{t('auto.promptTitle')}</p>
          <Button variant="quiet" onClick={() => setShown(true)}>
            {t('auto.show')}
          </Button>
          <Button variant="icon" aria-label={t('auto.notNow')} onClick={decline}>
            <Icon name="close" size={20} />
          </Button>
        </div>
      </section>
      {shown && (
        <Terms
          offer={props.offer}
          onDecline={decline}
          onTurnedOn={props.onClose}
          onClose={() => setShown(false)}
        />
      )}
    </>
  )
}

interface TermsProps {
  offer: AutoUnlockOffer
  onDecline: () => void
  /** Called when the request has ended, even if the server refused to turn auto-unlock on. */
  onTurnedOn: () => void
  onClose: () => void
}

/** The terms: price per episode, daily limit and consent. */
function Terms({ offer, onDecline, onTurnedOn, onClose }: TermsProps) {
  const { t } = useTranslation()
  const queryClient = useQueryClient()
  const consentErrorId = useId()
  const [limit, setLimit] = useState(defaultLimit)
  const [agreed, setAgreed] = useState(false)
  const [showsConsentError, setShowsConsentError] = useState(false)
  const [busy, setBusy] = useState(false)
  const { videoId, title, cents, currency } = offer
  const text = t('auto.promptText', { title, price: money(cents, currency) })
  const turnOn = async () => {
    setShowsConsentError(!agreed)
    if (!agreed) return
    setBusy(true)
    const termsText = `${t('auto.promptTitle')} ${text} ${t('auto.dailyLimit')}: ${limit} [x] ${t('auto.immediateConsent')} [${t('auto.turnOn')}]`
    const body = {
      video_id: videoId,
      daily_limit: limit,
      amount_cents: cents,
      terms_text: termsText,
      immediate_delivery: agreed,
    }
    try {
      await call(setAutoUnlock, { body })
      refetchLockedOffers(queryClient)
      notify(t('auto.turnedOn'))
    } catch (error) {
      setBusy(false)
      if (!(error instanceof ApiError)) return
      notifyRejection(error)
    }
    void queryClient.invalidateQueries({ queryKey: balanceQuery.queryKey })
    onTurnedOn()
  }
  return (
    <Sheet title={t('auto.promptTitle')} onClose={onClose}>
      <div className={styles.terms}>
        <p>{text}</p>
        <label className={styles.limit}>
          {t('auto.dailyLimit')}
          <select value={limit} onChange={(event) => setLimit(Number(event.target.value))}>
            {limits.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        </label>
        <div>
          <label className={styles.agree}>
            <input
              type="checkbox"
              checked={agreed}
              required
              aria-invalid={showsConsentError && !agreed}
              aria-describedby={consentErrorId}
              onChange={(event) => setAgreed(event.target.checked)}
            />
            {t('auto.immediateConsent')}
          </label>
          <p id={consentErrorId} role="status" className={styles.missing}>
            {showsConsentError && !agreed && t('auto.immediateConsentMissing')}
          </p>
        </div>
        <div className={styles.buttons}>
          <Button disabled={busy} onClick={() => void turnOn()}>
            {t('auto.turnOn')}
          </Button>
          <Button variant="quiet" onClick={onDecline}>
            {t('auto.notNow')}
          </Button>
        </div>
      </div>
    </Sheet>
  )
}

/**
 * Closes the prompt when the page's path changes. Polls, because the prompt is mounted outside the router. A swipe
 * changes only the query of the URL, so the prompt stays open.
 */
function useCloseOnPathChange(onClose: () => void): void {
  const close = useRef(onClose)
  close.current = onClose
  useEffect(() => {
    const from = location.pathname
    const timer = setInterval(() => location.pathname !== from && close.current(), 500)
    return () => clearInterval(timer)
  }, [])
}
