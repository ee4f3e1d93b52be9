import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { textInLanguage } from '#contract/languages.ts'
import { addPlan, changePlan, archivePlan, type StudioPlan } from '#contract/studio/plans.ts'
import { call } from '#web/lib/api.ts'
import { money } from '#web/lib/format-money.ts'
import { notify } from '#web/lib/notify.ts'
import { Button } from '#web/ui/Button.tsx'
import { LoadError } from '#web/ui/LoadError.tsx'
import { NotFound } from '#web/studio/NotFound.tsx'
import { usePermissions } from '#web/studio/session-queries.ts'
import { useTexts } from '#web/studio/texts.ts'
import { ConfirmSheet } from '#web/studio/ui/sheets/ConfirmSheet.tsx'
import { DescriptionList } from '#web/studio/ui/DescriptionList.tsx'
import { Page, Panel } from '#web/studio/ui/Page.tsx'
import { PageLink } from '#web/studio/ui/PageLink.tsx'
import { useNavigateDiscarding } from '#web/studio/ui/unsaved/use-unsaved.ts'
import { useCommand } from '#web/studio/use-command.ts'
import { formatTime } from '#web/studio/format.ts'
import { PlanForm } from './PlanForm.tsx'
import { PlanSubscribers } from './PlanSubscribers.tsx'
import { plansQuery } from './plans-query.ts'
import styles from './plan-list.module.css'

/** The page with the form for a new plan. */
export function NewPlan() {
  const { t } = useTexts()
  const goOn = useNavigateDiscarding()
  return (
    <Page title={t('plans.add')} lead={<PageLink to="/studio/plans">{t('plans.all')}</PageLink>}>
      <PlanForm
        action={t('plans.create')}
        onSend={async (terms) => {
          const { id } = await call(addPlan, { body: terms })
          notify(t('plans.added'))
          goOn(`/studio/plans/${id}`)
        }}
      />
    </Page>
  )
}

/** The page of one plan: its settings and its subscribers. */
export function PlanPage({ id }: { id: string }) {
  const { t, language } = useTexts()
  const isAllowed = usePermissions()
  const plans = useQuery(plansQuery)
  if (plans.isLoadingError) return <LoadError onRetry={() => void plans.refetch()} />
  const plan = plans.data?.list.find((each) => each.id === id)
  if (plans.data && !plan && !plans.isFetching) return <NotFound />
  return (
    <Page
      title={plan ? textInLanguage(plan.names, language) : t('plans.plan')}
      lead={<PageLink to="/studio/plans">{t('plans.all')}</PageLink>}
      actions={plan?.archived_at === null && isAllowed(archivePlan) && <ArchivePlan plan={plan} />}
    >
      {plan ? (
        <>
          <Summary plan={plan} />
          {plan.archived_at === null && isAllowed(changePlan) && <ChangePlan plan={plan} />}
          <Panel title={t('plans.members')}>
            <PlanSubscribers id={id} />
          </Panel>
        </>
      ) : (
        <div className={styles.wait} aria-busy="true" />
      )}
    </Page>
  )
}

function Summary({ plan }: { plan: StudioPlan }) {
  const { t, language } = useTexts()
  const { price_cents, intro_price_cents: intro, currency, period_days, archived_at } = plan
  return (
    <DescriptionList
      facts={[
        { name: t('plans.price'), value: money(price_cents, currency) },
        { name: t('plans.intro'), value: intro === null ? '–' : money(intro, currency) },
        { name: t('plans.billingInterval'), value: t('plans.days', { count: period_days }) },
        {
          name: t('plans.state'),
          value: archived_at
            ? t('plans.archivedAt', { at: formatTime(archived_at, language) })
            : t('plans.isActive'),
        },
      ]}
    />
  )
}

function ChangePlan({ plan }: { plan: StudioPlan }) {
  const { t } = useTexts()
  const goOn = useNavigateDiscarding()
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

function ArchivePlan({ plan }: { plan: StudioPlan }) {
  const { t } = useTexts()
  const [isConfirming, setConfirming] = useState(false)
  const { run, busy } = useCommand(archivePlan, t('done.planArchived'))
  const archiveAndClose = async () => {
    await run({ id: plan.id })
    setConfirming(false)
  }
  return (
    <>
      <Button variant="danger" onClick={() => setConfirming(true)}>
        {t('plans.archive')}
      </Button>
      {isConfirming && (
        <ConfirmSheet
          title={t('plans.archiveTitle')}
          text={t('plans.archiveText')}
          action={t('plans.archive')}
          busy={busy}
          onConfirm={() => void archiveAndClose()}
          onClose={() => setConfirming(false)}
        />
      )}
    </>
  )
}
