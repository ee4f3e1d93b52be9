import '#web/i18n/balance.ts'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Fragment, lazy, Suspense, useEffect, useId, useLayoutEffect, useState } from 'react'
import { homepageQuery } from '#web/features/catalog/queries.ts'
import { useTranslation } from '#web/i18n/use-translation.ts'
import type { Offer, Order } from '#contract/billing.ts'
import { Icon } from '#web/ui/Icon.tsx'
import { Button } from '#web/ui/Button.tsx'
import { resetPaywallSpace } from '#web/ui/toast.ts'
import { trackPaywall } from '#web/lib/tracking/funnel.ts'
import { money } from '#web/lib/format-money.ts'
import { useExpressOffer } from '#web/features/billing/express/use-express-offer.ts'
import { OpenInBrowser } from './OpenInBrowser.tsx'
import { PayBar } from './PayBar.tsx'
import { SignInLink } from './SignInLink.tsx'
import { useAutoUnlock } from './use-auto-unlock.ts'
import { paymentMethodsFor } from '#web/features/billing/payment-methods/PaymentMethodPicker.tsx'
import { spendingText } from '#web/features/billing/payments/balance-copy.ts'
import { BadgeLabel } from '#web/features/billing/payments/BadgeLabel.tsx'
import { planSummary } from '#web/features/billing/payments/plan-summary.ts'
import { panelTerms } from '#web/features/billing/payments/accepted-terms.ts'
import {
  episodeChoice,
  planChoice,
  videoChoice,
  type Choice,
} from '#web/features/billing/payments/choices.ts'
import styles from './pay-panel.module.css'

// Loaded on demand: only some sites have balances, and few viewers use auto-unlock.
const AutoUnlocking = lazy(async () => ({
  default: (await import('#web/features/billing/auto-unlock/AutoUnlockCountdown.tsx')).AutoUnlockCountdown,
}))
const TopUpSheet = lazy(async () => ({ default: (await import('./TopUpSheet.tsx')).TopUpSheet }))

interface PayPanelProps {
  offer: Offer
  /** Title of the episode's drama. */
  title: string
  onPaid: () => void
}

/** The panel of a locked episode: the offer, or the countdown if auto-unlock is on for the drama. */
export function PayPanel(props: PayPanelProps) {
  const { offer, onPaid } = props
  const { video_id } = offer.episode
  useEffect(() => trackPaywall(video_id), [video_id])
  const auto = useAutoUnlock(offer)
  if (!auto.isOn) return <Panel {...props} />
  return (
    <Suspense>
      <AutoUnlocking offer={offer} onPaid={onPaid} onStop={auto.stop} />
    </Suspense>
  )
}

/** The choices, the payment methods, and the full price beside the button. */
function Panel({ offer, title, onPaid }: PayPanelProps) {
  const { t } = useTranslation()
  useLayoutEffect(resetPaywallSpace, [])
  const { episode, price, video, plans, gateways, balance } = offer
  const offerAutoUnlockAfter = useOfferAutoUnlock(offer, title)
  const hasUnreadyEpisodes = video.ready_count < video.episode_count
  const express = useExpressOffer(offer)
  const isCoveredByBalance = ({ kind }: Choice) =>
    balance?.covers.some((covered) => covered === kind) ?? false
  const choices = [
    episodeChoice(t, offer),
    videoChoice(t, { id: episode.video_id, price, count: video.episode_count, hasUnreadyEpisodes }),
    ...plans.map((plan) => express.withUserPrice(planChoice(t, plan, plans))),
  ].filter((one) => isCoveredByBalance(one) || paymentMethodsFor(one.kind, gateways, one.id).length > 0)
  const layout = useQuery(homepageQuery).data?.pay_theme.layout
  const [chosen, setChosen] = useState(0)
  const [toppingUp, setToppingUp] = useState(false)
  const canTopUp = balance && !balance.covers_cheapest && balance.top_ups.length > 0
  const choice = choices[chosen] ?? choices[0]
  const firstPlan = choices.find(({ kind }) => kind === 'plan')
  const plansId = useId()
  const withoutForm = (one: Choice) =>
    express.isOffered || isCoveredByBalance(one) || (offer.saved_method !== undefined && one.kind !== 'plan')
  const termsOf = (one: Choice, byBalance: boolean) => {
    const terms = panelTerms(t, one, withoutForm(one))
    return byBalance && balance && isCoveredByBalance(one)
      ? `${terms} ${spendingText(t, balance, one.cents)}`
      : terms
  }
  if (!choice) return <p className={styles.panel}>{t('pay.noGateway')}</p>
  return (
    <section
      className={styles.panel}
      data-layout={layout ?? 'sheet'}
      aria-label={t('pay.title', { number: episode.number })}
    >
      <div className={styles.offers}>
        <header className={styles.head}>
          <Icon name="lock" size={28} />
          <h2>{t('pay.title', { number: episode.number })}</h2>
          <p>{title}</p>
          <SignInLink />
        </header>
        <OpenInBrowser />
        <fieldset className={styles.choices}>
          <legend className="hidden-text">{t('pay.choose')}</legend>
          {choices.map((option) => (
            <Fragment key={option.kind + option.id}>
              {option === firstPlan && (
                <p className={styles.plans} id={plansId}>
                  {t('pay.plansText')}
                </p>
              )}
              <Option
                option={option}
                checked={option === choice}
                describedBy={option.kind === 'plan' ? plansId : undefined}
                onChoose={() => setChosen(choices.indexOf(option))}
              />
            </Fragment>
          ))}
        </fieldset>
      </div>
      <PayBar
        className={styles.foot}
        sources={offer}
        gateways={gateways}
        choices={choices}
        choice={choice}
        express={express}
        termsOf={termsOf}
        video={episode.video_id}
        more={
          canTopUp && (
            <Button variant="quiet" onClick={() => setToppingUp(true)}>
              {t('balance.topUp')}
            </Button>
          )
        }
        onPaid={(order) => {
          offerAutoUnlockAfter(order)
          onPaid()
        }}
      />
      {toppingUp && balance && (
        <Suspense>
          <TopUpSheet currency={balance.currency} onClose={() => setToppingUp(false)} onPaid={onPaid} />
        </Suspense>
      )}
    </section>
  )
}

/** Returns a callback that offers auto-unlock after an episode was unlocked from the balance. */
function useOfferAutoUnlock({ episode, price }: Offer, title: string): (order?: Order) => void {
  const queryClient = useQueryClient()
  const { video_id: videoId } = episode
  const { episode_cents: cents, currency } = price
  return (order) => {
    if (order?.gateway !== 'balance' || order.kind !== 'episode') return
    import('#web/features/billing/auto-unlock/offer-auto-unlock.tsx')
      .then(({ offerAutoUnlock }) => offerAutoUnlock(queryClient, { videoId, title, cents, currency }))
      // The offer is optional, so an error is ignored.
      .catch(() => {})
  }
}

interface OptionProps {
  option: Choice
  checked: boolean
  /** Id of a description that several choices share, if any. */
  describedBy: string | undefined
  onChoose: () => void
}

function Option({ option, checked, describedBy, onChoose }: OptionProps) {
  const { t } = useTranslation()
  return (
    <label className={styles.option}>
      <input
        type="radio"
        name="choice"
        checked={checked}
        aria-describedby={describedBy}
        onChange={onChoose}
      />
      <span className={styles.name}>
        {option.name} {option.badge && <BadgeLabel badge={option.badge} />}
      </span>
      <span className={styles.price}>{money(option.cents, option.currency)}</span>
      <span className={styles.text}>{option.kind === 'plan' ? planSummary(t, option) : option.text}</span>
    </label>
  )
}
