import { useState } from 'react'
import type { OfferedGateway, Plan } from '#contract/billing.ts'
import type { Membership } from '#contract/members.ts'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { money } from '#web/lib/format-money.ts'
import { SubmitBar } from '#web/ui/forms/SubmitBar.tsx'
import { joinAcceptedText } from '#web/features/billing/payments/accepted-terms.ts'
import { usePlanChange } from './use-plan-change.ts'
import { planChangeText } from './membership-copy.ts'
import styles from '#web/features/billing/payments/order-page.module.css'

interface ChangePlanProps {
  plan: Plan
  membership: Membership
  method: Pick<OfferedGateway, 'id' | 'kind'>
  onPlanned: () => void
}

/**
 * Changes the plan of a subscription. Shows when the next plan starts and its price. Needs no card, because nothing is
 * charged now.
 */
export function ChangePlan({ plan: initialPlan, membership, method, onPlanned }: ChangePlanProps) {
  const { t } = useTranslation()
  const [cents, setCents] = useState(initialPlan.price_cents)
  const plan = { ...initialPlan, price_cents: cents }
  const { busy, problem, change } = usePlanChange(method, setCents)
  const terms = planChangeText(t, plan, membership)
  const label = t('shopping.change', { name: plan.name })
  const press = async () => {
    const termsText = joinAcceptedText({ name: plan.name, text: plan.description }, terms, label)
    if (await change(plan.id, { amount_cents: cents, consent: { terms_text: termsText } })) onPlanned()
  }
  return (
    <div className={styles.change}>
      <div className={styles.bought}>
        <p className={styles.name}>{plan.name}</p>
        <p className={styles.price}>{money(cents, plan.currency)}</p>
        <p className={styles.text}>{plan.description}</p>
      </div>
      {problem && (
        <p className={styles.problem} role="alert">
          {problem}
        </p>
      )}
      <SubmitBar
        cents={cents}
        currency={plan.currency}
        label={() => label}
        terms={terms}
        disabled={busy}
        onPress={() => void press()}
      />
    </div>
  )
}
