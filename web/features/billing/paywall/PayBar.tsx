import { useState, type MouseEvent, type ReactNode } from 'react'
import type { Offer, Order } from '#contract/billing.ts'
import { ExpressFrame } from '#web/features/billing/express/ExpressFrame.tsx'
import type { useExpressOffer } from '#web/features/billing/express/use-express-offer.ts'
import {
  PaymentMethodPicker,
  paymentMethodsFor,
} from '#web/features/billing/payment-methods/PaymentMethodPicker.tsx'
import { ProblemNote } from '#web/features/billing/payments/ProblemNote.tsx'
import { expressLabel, payLabel, acceptedTextOf } from '#web/features/billing/payments/accepted-terms.ts'
import type { Choice } from '#web/features/billing/payments/choices.ts'
import { trackSale } from '#web/features/tracking/track-sale.ts'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { Button } from '#web/ui/Button.tsx'
import { SubmitBar } from '#web/ui/forms/SubmitBar.tsx'
import { useScrollAnchor } from '#web/ui/use-scroll-anchor.ts'
import { ThreeDSecureSheet } from './ThreeDSecureSheet.tsx'
import { Checkout, trackCheckout } from './Checkout.tsx'
import { findUsableSources, useQuickPay, type QuickSources } from './use-quick-pay.ts'
import styles from './pay-bar.module.css'

interface PayBarProps {
  className?: string | undefined
  sources: QuickSources
  gateways: Offer['gateways']
  choices: Choice[]
  choice: Choice
  express: ReturnType<typeof useExpressOffer>
  /** Returns the terms of a choice; `byBalance` is true if it is paid from the balance. */
  termsOf: (choice: Choice, byBalance: boolean) => string
  /** The video whose paywall contains the bar. */
  video?: string
  /** Another action, shown below the button. */
  more?: ReactNode
  /** Called with the paid order, or without it if the offer must be reloaded. */
  onPaid: (order?: Order) => void
}

/**
 * The payment methods for a choice, and the button with the price. Pays from the balance, or with a saved card, an
 * express wallet or the payment form.
 */
export function PayBar(props: PayBarProps) {
  const { t } = useTranslation()
  const { className, sources, gateways, choices, choice, express, termsOf, video, more, onPaid } = props
  const [methodIndex, setMethodIndex] = useState(0)
  const [paying, setPaying] = useState(false)
  const quick = useQuickPay({ sources, choice, termsOf, onPaid })
  const methods = paymentMethodsFor(choice.kind, gateways, choice.id)
  // The method that was chosen for an episode may not be available for a plan.
  const gateway = methods.find((one) => one === gateways[methodIndex]) ?? methods[0]
  const wallet = quick.isOffered && !quick.opened ? undefined : express.walletFor(gateway)
  const terms = termsOf(choice, quick.source === 'balance')
  // A payment from the balance is a sandbox payment if only the sandbox can top up the balance.
  const areAllSandbox = gateways.length > 0 && gateways.every(({ id }) => id === 'sandbox')
  const isSandbox = areAllSandbox || (quick.source ? quick.isSandbox : gateway?.id === 'sandbox')
  // In a low window, the bar is not sticky at the bottom, so methods that appear above the button would push the button
  // away.
  const keepInPlace = useScrollAnchor(quick.opened)
  const toggleOthers = ({ currentTarget }: MouseEvent<HTMLElement>) => {
    keepInPlace(currentTarget)
    // A hidden method must not stay selected.
    setMethodIndex(0)
    quick.setOthers(!quick.opened)
  }
  return (
    <>
      <div className={className}>
        <SubmitBar
          cents={choice.cents}
          currency={choice.currency}
          label={quick.label ?? payLabel(t, choice)}
          terms={terms}
          otherTerms={longestTermsOf(choices, termsOf).filter((other) => other !== terms)}
          busy={quick.busy}
          disabled={!quick.source && !gateway}
          note={isSandbox ? t('pay.sandbox') : ''}
          express={
            wallet && (
              <ExpressFrame
                key={wallet.id}
                gateway={wallet.id}
                choice={choice}
                acceptedText={acceptedTextOf(choice, termsOf(choice, false), expressLabel(t))}
                video={video}
                unavailable={!methods.some(({ id, kind }) => id === wallet.id && kind === wallet.kind)}
                onOpen={() => trackCheckout(choice)}
                onPaid={(order) => {
                  trackSale(order)
                  onPaid(order)
                }}
                onOwned={onPaid}
                onPriceChanged={(cents) => express.switchToRegularPrice(choice, cents) || onPaid()}
                onProblem={express.setProblem}
              />
            )
          }
          more={
            (hasOtherMethods(props) || more) && (
              <div className={styles.more}>
                {hasOtherMethods(props) && (
                  <Button variant="quiet" aria-expanded={quick.opened} onClick={toggleOthers}>
                    {t('pay.otherMethods')}
                  </Button>
                )}
                {more}
              </div>
            )
          }
          onPress={quick.source ? quick.press : () => setPaying(true)}
        >
          <ProblemNote problem={quick.problem ?? express.problem} />
          {quick.opened && (
            <PaymentMethodPicker
              gateways={methods}
              chosen={gateway ? methods.indexOf(gateway) : -1}
              onChoose={(i) => {
                quick.chooseOther()
                setMethodIndex(gateways.findIndex((one) => one === methods[i]))
              }}
              oneTap={quick.methods}
            />
          )}
        </SubmitBar>
      </div>
      {quick.orderInThreeDSecure && (
        <ThreeDSecureSheet
          order={quick.orderInThreeDSecure}
          onChecked={quick.checked}
          onClose={quick.leaveCheck}
        />
      )}
      {paying && gateway && (
        <Checkout
          choice={choice}
          gateway={gateway}
          {...(video === undefined ? {} : { video })}
          onClose={() => setPaying(false)}
          onPaid={onPaid}
        />
      )}
    </>
  )
}

/**
 * Returns whether any choice has several payment methods. The button that shows them stays visible when the choice
 * changes.
 */
const hasOtherMethods = ({ sources, gateways, choices }: PayBarProps) =>
  choices.some(
    (choice) =>
      findUsableSources(sources, choice).length + paymentMethodsFor(choice.kind, gateways, choice.id).length >
      1,
  )

/**
 * Returns the longest terms of each choice, without duplicates. Space is reserved for them, so that the layout does not
 * move when the choice changes.
 */
const longestTermsOf = (choices: Choice[], termsOf: PayBarProps['termsOf']) => [
  ...new Set(choices.map((choice) => termsOf(choice, true))),
]
