import '#web/i18n/watch.ts'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { lazy, Suspense, useCallback, useState } from 'react'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { Link } from 'react-router'
import type { OfferedGateway, Plan } from '#contract/billing.ts'
import type { Membership } from '#contract/members.ts'
import { OpenInBrowser } from '#web/features/billing/paywall/OpenInBrowser.tsx'
import { SignInLink } from '#web/features/billing/paywall/SignInLink.tsx'
import { Subscription } from '#web/features/billing/subscriptions/Subscription.tsx'
import {
  PaymentMethodPicker,
  paymentMethodsFor,
} from '#web/features/billing/payment-methods/PaymentMethodPicker.tsx'
import { BadgeLabel } from '#web/features/billing/payments/BadgeLabel.tsx'
import { plansQuery } from '#web/features/billing/payments/queries.ts'
import { monthlyPriceText } from '#web/features/billing/payments/plan-summary.ts'
import { badgeOf, isUnpayable, planChoice, type PlanBadge } from '#web/features/billing/payments/choices.ts'
import { planTerms } from '#web/features/billing/payments/plan-terms.ts'
import { userQuery } from '#web/features/members/queries.ts'
import { money } from '#web/lib/format-money.ts'
import { notify } from '#web/lib/notify.ts'
import { paths } from '#web/lib/paths.ts'
import { Button, buttonClass } from '#web/ui/Button.tsx'
import { LoadError } from '#web/ui/LoadError.tsx'
import { Sheet } from '#web/ui/Sheet.tsx'
import styles from './plans-screen.module.css'

/** Loaded when the user chooses a plan. */
const Checkout = lazy(async () => ({
  default: (await import('#web/features/billing/paywall/Checkout.tsx')).Checkout,
}))

/** Loaded for subscribers only. */
const ChangePlan = lazy(async () => ({
  default: (await import('#web/features/billing/subscriptions/ChangePlan.tsx')).ChangePlan,
}))

export function Component() {
  const { t } = useTranslation()
  const { data, isError, refetch } = useQuery(plansQuery)
  const isSubscribed = useQuery(userQuery).data?.membership.status === 'active'
  return (
    <section className={styles.shopping}>
      <title>{t('shopping.title')}</title>
      <h1>{t('shopping.title')}</h1>
      <div className={styles.lead}>
        <p>{t('shopping.lead')}</p>
        <SignInLink />
      </div>
      <div className={styles.hint}>
        <OpenInBrowser />
      </div>
      <Subscription
        actions={
          isSubscribed && (
            <Link className={buttonClass('main')} to={paths.home.to()}>
              {t('home.watch')}
            </Link>
          )
        }
      />
      {data && <PlanShop plans={data.list} gateways={data.gateways} />}
      {!data && (isError ? <LoadError onRetry={() => void refetch()} /> : <Skeletons />)}
    </section>
  )
}

/** The payment methods, the plans side by side, and the checkout (or the change of plan) for the chosen plan. */
function PlanShop({ plans, gateways }: { plans: Plan[]; gateways: OfferedGateway[] }) {
  const { t } = useTranslation()
  const queryClient = useQueryClient()
  const membership = useQuery(userQuery).data?.membership
  const subscribed = membership?.status === 'active'
  const [chosen, setChosen] = useState<Plan | null>(null)
  const [methodIndex, setMethodIndex] = useState(0)
  const methods = paymentMethodsFor('plan', gateways)
  const gateway = chosen ? methodAccepting(chosen, methods, methods[methodIndex]) : methods[methodIndex]
  const close = useCallback(() => setChosen(null), [])
  const onPaid = () => {
    notify(t('shopping.done'))
    void queryClient.invalidateQueries()
  }
  const onPlanned = () => {
    close()
    void queryClient.invalidateQueries()
  }
  return (
    <>
      {gateway && plans.length > 0 ? (
        // Subscribers choose no method: their next period is charged to their current method.
        <div className={styles.methods}>
          {!subscribed && (
            <PaymentMethodPicker gateways={methods} chosen={methodIndex} onChoose={setMethodIndex} />
          )}
        </div>
      ) : (
        <NothingForSale />
      )}
      <ul className={styles.plans}>
        {plans.map((plan) => (
          <PlanCard
            key={plan.id}
            plan={membership?.plan ? withoutIntroPrice(plan) : plan}
            badge={badgeOf(plan, plans)}
            status={statusOf(plan, membership)}
            disabled={!methodAccepting(plan, methods, methods[methodIndex])}
            onChoose={() => setChosen(plan)}
          />
        ))}
      </ul>
      {gateway?.id === 'sandbox' && <p className={styles.trial}>{t('pay.sandbox')}</p>}
      {chosen && gateway && membership && subscribed && (
        <Sheet title={t('shopping.change', { name: chosen.name })} onClose={close}>
          <Suspense fallback={<div className={styles.changeToCome} />}>
            <ChangePlan plan={chosen} membership={membership} method={gateway} onPlanned={onPlanned} />
          </Suspense>
        </Sheet>
      )}
      {chosen && gateway && !subscribed && (
        <Suspense>
          <Checkout choice={planChoice(t, chosen)} gateway={gateway} onClose={close} onPaid={onPaid} />
        </Suspense>
      )}
    </>
  )
}

/** Returns the chosen payment method or, if that does not accept the plan's price, the first method that does. */
function methodAccepting({ id }: Plan, methods: OfferedGateway[], chosen: OfferedGateway | undefined) {
  const accepting = paymentMethodsFor('plan', methods, id)
  return accepting.find((method) => method === chosen) ?? accepting[0]
}

/** Returns the plan without its introductory price, which applies only to a first period. */
function withoutIntroPrice(plan: Plan): Plan {
  const { intro_price_cents, ...planWithoutIntro } = plan
  return intro_price_cents === undefined ? plan : planWithoutIntro
}

/**
 * A plan's status for a subscriber.
 * - `planned`: starts when the current plan ends
 * - `owed`: its period is unpaid
 * - `waits`: cannot be chosen until the unpaid period is paid
 * - `open`: can be chosen
 */
type PlanStatus = 'current' | 'planned' | 'owed' | 'waits' | 'open'

function statusOf({ id }: Plan, membership: Membership | undefined): PlanStatus {
  const { status, plan, next_plan, owed } = membership ?? {}
  if (owed && isUnpayable(owed)) return 'open'
  if (status === 'past_due') return id === (owed ?? plan)?.id ? 'owed' : 'waits'
  if (status !== 'active') return 'open'
  if (id === next_plan?.id) return 'planned'
  return id === plan?.id ? 'current' : 'open'
}

/** Shown if there are no plans, or no payment method that accepts them. */
function NothingForSale() {
  const { t } = useTranslation()
  return (
    <div className={styles.closed}>
      <p>{t('pay.noGateway')}</p>
      <Link className={buttonClass('quiet')} to={paths.home.to()}>
        {t('list.browseDramas')}
      </Link>
    </div>
  )
}

interface PlanCardProps {
  plan: Plan
  badge: PlanBadge | undefined
  status: PlanStatus
  /** True if no payment method accepts the plan. */
  disabled: boolean
  onChoose: () => void
}

function PlanCard({ plan, badge, status, disabled, onChoose }: PlanCardProps) {
  const { t } = useTranslation()
  const days = t('pay.days', { count: plan.period_days })
  const introPrice = plan.intro_price_cents
  const label = {
    current: t('shopping.current'),
    planned: t('shopping.nextPlan'),
    owed: t('shopping.payNow'),
    waits: t('shopping.choose', { name: plan.name }),
    open: t('shopping.choose', { name: plan.name }),
  }
  const isBuyable = status === 'owed' || status === 'open'
  return (
    <li className={styles.plan} data-highlight={plan.highlight}>
      <div className={styles.name}>
        <h2>{plan.name}</h2>
        {badge && <BadgeLabel badge={badge} />}
      </div>
      <p className={styles.description}>{plan.description}</p>
      <p className={styles.price}>
        {money(introPrice ?? plan.price_cents, plan.currency)}{' '}
        <span>
          {t(introPrice === undefined ? 'shopping.per' : 'shopping.first', { days, count: plan.period_days })}
        </span>
      </p>
      <p className={styles.monthly}>{monthlyPriceText(t, planChoice(t, plan))}</p>
      <p className={styles.terms}>
        {planTerms(t, plan)} {t('pay.cancelAnyTime')}
      </p>
      <Button
        wide
        variant={status === 'owed' || (isBuyable && plan.highlight) ? 'main' : 'quiet'}
        disabled={!isBuyable || disabled}
        onClick={onChoose}
      >
        {label[status]}
      </Button>
    </li>
  )
}

function Skeletons() {
  return (
    <div aria-hidden="true">
      <div className={styles.methodsToCome} />
      <ul className={styles.plans}>
        {[1, 2, 3].map((i) => (
          <li key={i} className={styles.plan} style={{ minHeight: 260 }} />
        ))}
      </ul>
    </div>
  )
}
