import '#web/i18n/watch.ts'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { Link } from 'react-router'
import type { OfferedGateway, Plan } from '#contract/billing.ts'
import { Checkout } from '#web/features/billing/Checkout.tsx'
import { OpenInBrowser } from '#web/features/billing/OpenInBrowser.tsx'
import { Subscription } from '#web/features/billing/Subscription.tsx'
import { Ways, waysFor } from '#web/features/billing/Ways.tsx'
import { plansQuery } from '#web/features/billing/queries.ts'
import { planChoice, planTerms } from '#web/features/billing/words.ts'
import { userQuery } from '#web/features/members/queries.ts'
import { money } from '#web/lib/money.ts'
import { notify } from '#web/lib/notify.ts'
import { paths } from '#web/lib/paths.ts'
import { Button, buttonClass } from '#web/ui/Button.tsx'
import { CouldNotLoad } from '#web/ui/CouldNotLoad.tsx'
import styles from './shopping-screen.module.css'

export function Component() {
  const { t } = useTranslation()
  const { data, isError, refetch } = useQuery(plansQuery)
  return (
    <section className={styles.shopping}>
      <title>{t('shopping.title')}</title>
      <h1>{t('shopping.title')}</h1>
      <p className={styles.lead}>{t('shopping.lead')}</p>
      <div className={styles.hint}>
        <OpenInBrowser />
      </div>
      <Subscription />
      {data && <Shop plans={data.list} gateways={data.gateways} />}
      {!data && (isError ? <CouldNotLoad onRetry={() => void refetch()} /> : <Skeletons />)}
    </section>
  )
}

/** How to pay, the plans side by side, and what becomes of the one that is chosen. */
function Shop({ plans, gateways }: { plans: Plan[]; gateways: OfferedGateway[] }) {
  const { t } = useTranslation()
  const queryClient = useQueryClient()
  const membership = useQuery(userQuery).data?.membership
  // What is past due is paid for by choosing the plan again.
  const renewing = membership?.status === 'active' ? membership.plan?.id : undefined
  const [chosen, setChosen] = useState<Plan | null>(null)
  const [way, setWay] = useState(0)
  const ways = waysFor('plan', gateways)
  const gateway = ways[way]
  const paid = () => {
    notify(t('shopping.done'))
    void queryClient.invalidateQueries()
  }
  return (
    <>
      {gateway && plans.length > 0 ? (
        <div className={styles.ways}>
          <Ways gateways={ways} chosen={way} onChoose={setWay} />
        </div>
      ) : (
        <Closed />
      )}
      <ul className={styles.plans}>
        {plans.map((plan) => (
          <PlanCard
            key={plan.id}
            plan={plan}
            mine={plan.id === renewing}
            closed={!gateway}
            onChoose={() => setChosen(plan)}
          />
        ))}
      </ul>
      {gateway?.id === 'sandbox' && <p className={styles.trial}>{t('pay.sandbox')}</p>}
      {chosen && gateway && (
        <Checkout
          choice={planChoice(t, chosen)}
          gateway={gateway}
          onClose={() => setChosen(null)}
          onPaid={paid}
        />
      )}
    </>
  )
}

/** Stands where there is no plan, or no way to pay for one. */
function Closed() {
  const { t } = useTranslation()
  return (
    <div className={styles.closed}>
      <p>{t('pay.noGateway')}</p>
      <Link className={buttonClass('quiet')} to={paths.home.to()}>
        {t('list.emptyWay')}
      </Link>
    </div>
  )
}

interface PlanCardProps {
  plan: Plan
  mine: boolean
  /** Nothing can be bought. */
  closed: boolean
  onChoose: () => void
}

function PlanCard({ plan, mine, closed, onChoose }: PlanCardProps) {
  const { t } = useTranslation()
  const days = t('pay.days', { count: plan.period_days })
  const first = plan.intro_price_cents
  return (
    <li className={styles.plan} data-highlight={plan.highlight}>
      <h2>{plan.name}</h2>
      <p className={styles.description}>{plan.description}</p>
      <p className={styles.price}>
        {money(first ?? plan.price_cents, plan.currency)}{' '}
        <span>{t(first === undefined ? 'shopping.per' : 'shopping.first', { days })}</span>
      </p>
      <p className={styles.terms}>
        {planTerms(t, plan)} {t('pay.cancelAnyTime')}
      </p>
      <Button
        wide
        look={plan.highlight && !mine ? 'main' : 'quiet'}
        disabled={mine || closed}
        onClick={onChoose}
      >
        {mine ? t('shopping.current') : t('shopping.choose', { name: plan.name })}
      </Button>
    </li>
  )
}

function Skeletons() {
  return (
    <div aria-hidden="true">
      <div className={styles.waysToCome} />
      <ul className={styles.plans}>
        {[1, 2, 3].map((i) => (
          <li key={i} className={styles.plan} style={{ minHeight: 260 }} />
        ))}
      </ul>
    </div>
  )
}
