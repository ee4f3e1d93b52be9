import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { inLanguage } from '#contract/languages.ts'
import { addPlan, changePlan, retirePlan, type SoldPlan } from '#contract/studio/plans.ts'
import { call } from '#web/lib/api.ts'
import { money } from '#web/lib/money.ts'
import { notify } from '#web/lib/notify.ts'
import { Button } from '#web/ui/Button.tsx'
import { CouldNotLoad } from '#web/ui/CouldNotLoad.tsx'
import { NotFound } from '#web/studio/NotFound.tsx'
import { useMay } from '#web/studio/queries.ts'
import { useTexts } from '#web/studio/texts.ts'
import { AskFirst } from '#web/studio/ui/sheets/AskFirst.tsx'
import { Facts } from '#web/studio/ui/Facts.tsx'
import { Page, Panel } from '#web/studio/ui/Page.tsx'
import { PageLink } from '#web/studio/ui/PageLink.tsx'
import { useGoOn } from '#web/studio/ui/unsaved/unsaved.ts'
import { useCommand } from '#web/studio/use-command.ts'
import { formatTime } from '#web/studio/format.ts'
import { PlanForm } from './PlanForm.tsx'
import { PlanMembers } from './PlanMembers.tsx'
import { plansQuery } from './plans-query.ts'
import styles from './plans.module.css'

/** Form for a new plan. */
export function NewPlan() {
  const { t } = useTexts()
  const goOn = useGoOn()
  return (
    <Page title={t('plans.add')} lead={<PageLink to="/studio/plans">{t('plans.all')}</PageLink>}>
      <PlanForm
        action={t('plans.putOnSale')}
        onSend={async (terms) => {
          const { id } = await call(addPlan, { body: terms })
          notify(t('plans.added'))
          goOn(`/studio/plans/${id}`)
        }}
      />
    </Page>
  )
}

/** One plan: its settings and its subscribers. */
export function OnePlan({ id }: { id: string }) {
  const { t, language } = useTexts()
  const may = useMay()
  const plans = useQuery(plansQuery)
  if (plans.isLoadingError) return <CouldNotLoad onRetry={() => void plans.refetch()} />
  const plan = plans.data?.list.find((each) => each.id === id)
  if (plans.data && !plan && !plans.isFetching) return <NotFound />
  return (
    <Page
      title={plan ? inLanguage(plan.names, language) : t('plans.plan')}
      lead={<PageLink to="/studio/plans">{t('plans.all')}</PageLink>}
      actions={plan?.retired_at === null && may(retirePlan) && <Retire plan={plan} />}
    >
      {plan ? (
        <>
          <Summary plan={plan} />
          {plan.retired_at === null && may(changePlan) && <Change plan={plan} />}
          <Panel title={t('plans.members')}>
            <PlanMembers id={id} />
          </Panel>
        </>
      ) : (
        <div className={styles.wait} aria-busy="true" />
      )}
    </Page>
  )
}

function Summary({ plan }: { plan: SoldPlan }) {
  const { t, language } = useTexts()
  const { price_cents, intro_price_cents: intro, currency, period_days, retired_at } = plan
  return (
    <Facts
      facts={[
        { name: t('plans.price'), value: money(price_cents, currency) },
        { name: t('plans.intro'), value: intro === null ? '–' : money(intro, currency) },
        { name: t('plans.every'), value: t('plans.days', { count: period_days }) },
        {
          name: t('plans.state'),
          value: retired_at
            ? t('plans.retiredAt', { at: formatTime(retired_at, language) })
            : t('plans.onSale'),
        },
      ]}
    />
  )
}

function Change({ plan }: { plan: SoldPlan }) {
  const { t } = useTexts()
  const goOn = useGoOn()
  return (
    <Panel title={t('plans.change')}>
      <p className={styles.hint}>{t('plans.changeHint')}</p>
      <PlanForm
        key={plan.id}
        plan={plan}
        action={t('plans.save')}
        onSend={async (terms) => {
          const changed = await call(changePlan, { body: { id: plan.id, ...terms } })
          notify(t(changed.id === plan.id ? 'plans.saved' : 'plans.replaced'))
          if (changed.id !== plan.id) goOn(`/studio/plans/${changed.id}`)
        }}
      />
    </Panel>
  )
}

function Retire({ plan }: { plan: SoldPlan }) {
  const { t } = useTexts()
  const [asked, setAsked] = useState(false)
  const { run, busy } = useCommand(retirePlan, t('done.planRetired'))
  const doIt = async () => {
    await run({ id: plan.id })
    setAsked(false)
  }
  return (
    <>
      <Button look="danger" onClick={() => setAsked(true)}>
        {t('plans.retire')}
      </Button>
      {asked && (
        <AskFirst
          title={t('plans.retireTitle')}
          text={t('plans.retireText')}
          action={t('plans.retire')}
          busy={busy}
          onDo={() => void doIt()}
          onClose={() => setAsked(false)}
        />
      )}
    </>
  )
}
