import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { addTopUp, type StudioTopUp } from '#contract/studio/top-ups.ts'
import { money } from '#web/lib/format-money.ts'
import { buttonClass } from '#web/ui/Button.tsx'
import { LoadError } from '#web/ui/LoadError.tsx'
import { PlanTabs } from '#web/studio/plans/PlanTabs.tsx'
import { usePermissions } from '#web/studio/session-queries.ts'
import { useTexts } from '#web/studio/texts.ts'
import { Page, Panel } from '#web/studio/ui/Page.tsx'
import { PageLink } from '#web/studio/ui/PageLink.tsx'
import { Table } from '#web/studio/ui/Table.tsx'
import { topUpName, topUpsPath, topUpsQuery } from './top-ups-query.ts'
import styles from '#web/studio/plans/plan-list.module.css'

/** The active and the archived top-ups. */
export function TopUpList() {
  const { t } = useTexts()
  const isAllowed = usePermissions()
  const topUps = useQuery(topUpsQuery)
  const list = topUps.data?.list ?? []
  return (
    <Page
      title={t('topUps.title')}
      lead={t('topUps.lead')}
      actions={
        isAllowed(addTopUp) && (
          <Link className={buttonClass('main')} to={`${topUpsPath}/new`}>
            {t('topUps.add')}
          </Link>
        )
      }
    >
      <PlanTabs />
      {topUps.isLoadingError ? (
        <LoadError onRetry={() => void topUps.refetch()} />
      ) : topUps.data ? (
        <>
          <TopUpTable
            caption={t('topUps.active')}
            topUps={list.filter(({ archived_at }) => archived_at === null)}
            empty={t('topUps.none')}
          />
          <Panel title={t('topUps.archived')}>
            <TopUpTable
              caption={t('topUps.archived')}
              topUps={list.filter(({ archived_at }) => archived_at !== null)}
              empty={t('topUps.noneArchived')}
            />
          </Panel>
        </>
      ) : (
        <div className={styles.wait} aria-busy="true" />
      )}
    </Page>
  )
}

interface TopUpTableProps {
  caption: string
  topUps: readonly StudioTopUp[]
  empty: string
}

function TopUpTable({ caption, topUps, empty }: TopUpTableProps) {
  const { t } = useTexts()
  const columns = [
    {
      title: t('topUps.topUp'),
      cell: (topUp: StudioTopUp) => <PageLink to={`${topUpsPath}/${topUp.id}`}>{topUpName(topUp)}</PageLink>,
    },
    {
      title: t('topUps.price'),
      figures: true,
      cell: ({ price_cents, currency }: StudioTopUp) => money(price_cents, currency),
    },
    {
      title: t('topUps.bonus'),
      figures: true,
      cell: ({ bonus_cents, currency }: StudioTopUp) =>
        bonus_cents > 0 ? money(bonus_cents, currency) : '–',
    },
    {
      title: t('topUps.bonusDays'),
      figures: true,
      cell: ({ bonus_cents, bonus_days }: StudioTopUp) =>
        bonus_cents === 0 ? '–' : (bonus_days ?? t('topUps.bonusNever')),
    },
  ]
  return <Table caption={caption} columns={columns} rows={topUps} keyOf={({ id }) => id} empty={empty} />
}
