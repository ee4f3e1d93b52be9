import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { textInLanguage } from '#contract/languages.ts'
import { addPlan, type StudioPlan } from '#contract/studio/plans.ts'
import { money } from '#web/lib/format-money.ts'
import { buttonClass } from '#web/ui/Button.tsx'
import { LoadError } from '#web/ui/LoadError.tsx'
import { usePermissions } from '#web/studio/session-queries.ts'
import { useTexts } from '#web/studio/texts.ts'
import { Page, Panel } from '#web/studio/ui/Page.tsx'
import { PageLink } from '#web/studio/ui/PageLink.tsx'
import { Table } from '#web/studio/ui/Table.tsx'
import { plansQuery } from './plans-query.ts'
import { PlanTabs } from './PlanTabs.tsx'
import styles from './plan-list.module.css'

/** The active and the archived plans. */
export function PlanList() {
  const { t } = useTexts()
  const isAllowed = usePermissions()
  const plans = useQuery(plansQuery)
  const list = plans.data?.list ?? []
  return (
    <Page
      title={t('plans.title')}
      lead={t('plans.lead')}
      actions={
        isAllowed(addPlan) && (
          <Link className={buttonClass('main')} to="/studio/plans/new">
            {t('plans.add')}
          </Link>
        )
      }
    >
      <PlanTabs />
      {plans.isLoadingError ? (
        <LoadError onRetry={() => void plans.refetch()} />
      ) : plans.data ? (
        <>
          <PlanTable
            caption={t('plans.active')}
            plans={list.filter(({ archived_at }) => archived_at === null)}
            empty={t('plans.none')}
          />
          <Panel title={t('plans.archived')}>
            <PlanTable
              caption={t('plans.archived')}
              plans={list.filter(({ archived_at }) => archived_at !== null)}
              empty={t('plans.noneArchived')}
            />
          </Panel>
        </>
      ) : (
        <div className={styles.wait} aria-busy="true" />
      )}
    </Page>
  )
}

/** The server counts no more subscribers than this (contract/studio/plans.ts). */
const maxCounted = 1000

function PlanTable({
  caption,
  plans,
  empty,
}: {
  caption: string
  plans: readonly StudioPlan[]
  empty: string
}) {
  const { t, language } = useTexts()
  const columns = [
    {
      title: t('plans.plan'),
      cell: ({ id, names }: StudioPlan) => (
        <PageLink to={`/studio/plans/${id}`}>{textInLanguage(names, language)}</PageLink>
      ),
    },
    {
      title: t('plans.price'),
      figures: true,
      cell: ({ price_cents, currency }: StudioPlan) => money(price_cents, currency),
    },
    {
      title: t('plans.intro'),
      figures: true,
      cell: ({ intro_price_cents: cents, currency }: StudioPlan) =>
        cents === null ? '–' : money(cents, currency),
    },
    {
      title: t('plans.billingInterval'),
      cell: ({ period_days }: StudioPlan) => t('plans.days', { count: period_days }),
    },
    {
      title: t('plans.subscribers'),
      figures: true,
      cell: ({ subscribers }: StudioPlan) => (subscribers < maxCounted ? subscribers : `${maxCounted}+`),
    },
  ]
  return <Table caption={caption} columns={columns} rows={plans} keyOf={({ id }) => id} empty={empty} />
}
