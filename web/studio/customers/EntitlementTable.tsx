import type { ReactNode } from 'react'
import type { Language } from '#contract/languages.ts'
import type { CustomerEntitlement } from '#contract/studio/orders.ts'
import { useTexts, type Translate } from '#web/studio/texts.ts'
import { Table, type Column } from '#web/studio/ui/Table.tsx'
import { formatTime } from '#web/studio/format.ts'

/** A table of entitlements, including expired and revoked ones. */
export function EntitlementTable({
  entitlements,
  renewsAt,
  empty,
  actions,
}: {
  entitlements: readonly CustomerEntitlement[]
  /** When the plan renews. Its entitlements end later, after the grace period for a failed renewal. */
  renewsAt: string | null
  empty: ReactNode
  /** A further column, with actions. */
  actions?: Column<CustomerEntitlement>
}) {
  const { t, language } = useTexts()
  const columns: Column<CustomerEntitlement>[] = [
    {
      title: t('customers.accessTo'),
      cell: (held) => entitlementText(held, t),
    },
    { title: t('customers.source'), cell: (held) => <Source held={held} /> },
    { title: t('customers.from'), cell: ({ starts_at }) => formatTime(starts_at, language) },
    {
      title: t('customers.until'),
      cell: (held) => untilText(held, renewsAt, t, language),
    },
    {
      title: t('customers.revoked'),
      cell: ({ revoked_at }) => formatTime(revoked_at, language),
    },
    ...(actions ? [actions] : []),
  ]
  return (
    <Table
      caption={t('customers.access')}
      columns={columns}
      rows={entitlements}
      keyOf={({ id }) => id}
      empty={empty}
    />
  )
}

function untilText(
  { ends_at, source, order_id, revoked_at }: CustomerEntitlement,
  renewsAt: string | null,
  t: Translate,
  language: Language,
): string {
  if (ends_at === null) return t('customers.lifetime')
  const end = formatTime(ends_at, language)
  const isOfPlan = source === 'subscription' && order_id !== null && revoked_at === null
  if (!isOfPlan || renewsAt === null || Date.parse(ends_at) <= Date.parse(renewsAt)) return end
  return t('customers.untilGraceEnd', { renewal: formatTime(renewsAt, language), end })
}

/** Returns what an entitlement unlocks. */
export function entitlementText({ title, number }: CustomerEntitlement, t: Translate): string {
  if (title === null) return t('customers.everything')
  return number === null ? title : `${title} · ${number}`
}

function Source({ held: { order_id, source, reason } }: { held: CustomerEntitlement }) {
  const { t } = useTexts()
  return order_id === null
    ? t('customers.granted', { reason: reason ?? '' })
    : t(`customers.sources.${source}`)
}
