import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { homepageQuery } from '#web/features/catalog/queries.ts'
import { trackSale } from '#web/features/tracking/track-sale.ts'
import { useTranslation } from '#web/i18n/use-translation.ts'
import type { Offer } from '#contract/billing.ts'
import { Button } from '#web/ui/Button.tsx'
import { Icon } from '#web/ui/Icon.tsx'
import { SubmitBar } from '#web/ui/forms/SubmitBar.tsx'
import { notePaywall } from '#web/lib/tracking/funnel.ts'
import { money } from '#web/lib/money.ts'
import { BankSheet } from './BankSheet.tsx'
import { Checkout, trackCheckout } from './Checkout.tsx'
import { ExpressFrame } from '#web/features/billing/express/ExpressFrame.tsx'
import { useExpressOffer } from '#web/features/billing/express/use-express-offer.ts'
import { OpenInBrowser } from './OpenInBrowser.tsx'
import { ProblemNote } from '#web/features/billing/payments/ProblemNote.tsx'
import { SignInLink } from './SignInLink.tsx'
import { useSavedCard } from './use-saved-card.ts'
import {
  PaymentMethodPicker,
  paymentMethodsFor,
} from '#web/features/billing/payment-methods/PaymentMethodPicker.tsx'
import { planSummary } from '#web/features/billing/payments/plan-summary.ts'
import {
  episodeChoice,
  expressLabel,
  panelTerms,
  payLabel,
  planChoice,
  shownText,
  videoChoice,
  type Choice,
} from '#web/features/billing/payments/price-copy.ts'
import styles from './pay-panel.module.css'

interface PayPanelProps {
  offer: Offer
  /** Of the drama that the episode belongs to. */
  title: string
  onPaid: () => void
}

/** What a locked episode offers: what to buy, how to pay, and the whole price beside the button. */
export function PayPanel({ offer, title, onPaid }: PayPanelProps) {
  const { t } = useTranslation()
  const { episode, price, video, plans, gateways } = offer
  useEffect(() => notePaywall(episode.video_id), [episode.video_id])
  const running = video.ready_count < video.episode_count
  const express = useExpressOffer(offer)
  const choices = [
    episodeChoice(t, offer),
    videoChoice(t, { id: episode.video_id, price, count: video.episode_count, running }),
    ...plans.map((plan) => express.priced(planChoice(t, plan, plans))),
  ].filter(({ kind, id }) => paymentMethodsFor(kind, gateways, id).length > 0)
  const layout = useQuery(homepageQuery).data?.pay_theme.layout
  const [chosen, setChosen] = useState(0)
  const [methodIndex, setMethodIndex] = useState(0)
  const [paying, setPaying] = useState(false)
  const choice = choices[chosen]
  const card = useSavedCard(offer, choice, onPaid)
  const methods = choice ? paymentMethodsFor(choice.kind, gateways, choice.id) : []
  // What was picked for an episode may not be offered for a plan.
  const gateway = methods.find((one) => one === gateways[methodIndex]) ?? methods[0]
  const wallet = card.hidesOtherMethods ? undefined : express.walletFor(gateway)
  const termsOf = (one: Choice) =>
    panelTerms(t, one, express.isOffered || (offer.saved_method !== undefined && one.kind !== 'plan'))
  if (!choice || !gateway) return <p className={styles.panel}>{t('pay.noGateway')}</p>
  return (
    <section
      className={styles.panel}
      data-layout={layout}
      aria-label={t('pay.title', { number: episode.number })}
    >
      <header className={styles.head}>
        <Icon name="lock" size={28} />
        <h2>{t('pay.title', { number: episode.number })}</h2>
        <p>{title}</p>
        <SignInLink />
      </header>
      <OpenInBrowser />
      <fieldset className={styles.choices}>
        <legend className="hidden-text">{t('pay.choose')}</legend>
        {choices.map((option, i) => (
          <Option
            key={option.kind + option.id}
            option={option}
            checked={i === chosen}
            onChoose={() => setChosen(i)}
          />
        ))}
      </fieldset>
      <div className={styles.foot}>
        <SubmitBar
          cents={choice.cents}
          currency={choice.currency}
          label={card.pays ? card.label : payLabel(t, choice)}
          terms={termsOf(choice)}
          otherTerms={choices.filter((other) => other !== choice).map(termsOf)}
          busy={card.busy}
          note={(card.pays ? card.gateway : gateway.id) === 'sandbox' ? t('pay.sandbox') : ''}
          express={
            wallet && (
              <ExpressFrame
                key={wallet.id}
                gateway={wallet.id}
                choice={choice}
                words={shownText(choice, termsOf(choice), expressLabel(t))}
                video={episode.video_id}
                off={!methods.some(({ id, kind }) => id === wallet.id && kind === wallet.kind)}
                onOpen={() => trackCheckout(choice)}
                onPaid={(order) => {
                  trackSale(order)
                  onPaid()
                }}
                onOwned={onPaid}
                onOtherPrice={(cents) => express.takeRegular(choice, cents) || onPaid()}
                onProblem={express.setProblem}
              />
            )
          }
          more={
            card.hidesOtherMethods && (
              <Button look="quiet" wide onClick={card.showOtherMethods}>
                {t('pay.otherMethods')}
              </Button>
            )
          }
          onPress={card.pays ? card.press : () => setPaying(true)}
        >
          <ProblemNote problem={card.problem ?? express.problem} />
          {!card.hidesOtherMethods && (
            <PaymentMethodPicker
              gateways={methods}
              chosen={methods.indexOf(gateway)}
              onChoose={(i) => {
                card.choose(false)
                setMethodIndex(gateways.findIndex((one) => one === methods[i]))
              }}
              saved={card.method}
            />
          )}
        </SubmitBar>
      </div>
      {card.checks && <BankSheet order={card.checks} onChecked={card.checked} onClose={card.leaveCheck} />}
      {paying && (
        <Checkout
          choice={choice}
          gateway={gateway}
          video={episode.video_id}
          onClose={() => setPaying(false)}
          onPaid={onPaid}
        />
      )}
    </section>
  )
}

function Option({ option, checked, onChoose }: { option: Choice; checked: boolean; onChoose: () => void }) {
  const { t } = useTranslation()
  return (
    <label className={styles.option}>
      <input type="radio" name="choice" checked={checked} onChange={onChoose} />
      <span className={styles.name}>
        {option.name} {option.badge && <em>{t(option.badge === 'best' ? 'pay.best' : 'pay.recommended')}</em>}
      </span>
      <span className={styles.price}>{money(option.cents, option.currency)}</span>
      <span className={styles.text}>{option.kind === 'plan' ? planSummary(t, option) : option.text}</span>
    </label>
  )
}
