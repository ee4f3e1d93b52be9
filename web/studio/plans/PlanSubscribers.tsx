import { useInfiniteQuery } from '@tanstack/react-query'
import { listPlanSubscribers, type PlanSubscriber } from '#contract/studio/plans.ts'
import { call } from '#web/lib/api.ts'
import { money } from '#web/lib/format-money.ts'
import { ListFooter } from '#web/ui/ListFooter.tsx'
import { CustomerName } from '#web/studio/customers/CustomerName.tsx'
import { useTexts } from '#web/studio/texts.ts'
import { Table } from '#web/studio/ui/Table.tsx'
import { formatTime } from '#web/studio/format.ts'

/** The subscribers of a plan, the latest first, each with the price of the next period. */
export function PlanSubscribers({ id }: { id: string }) {
  const { t, language } = useTexts()
  const subscribers = useInfiniteQuery({
    queryKey: ['plan subscribers', id],
    queryFn: ({ pageParam, signal }) =>
      call(listPlanSubscribers, { query: { id, ...(pageParam ? { cursor: pageParam } : {}) }, signal }),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }) => next_cursor,
  })
  const columns = [
    {
      title: t('customers.customer'),
      cell: ({ user_id, email, order_email }: PlanSubscriber) => (
        <CustomerName id={user_id} email={email} order_email={order_email} display_name={null} />
      ),
    },
    { title: t('plans.since'), cell: ({ since }: PlanSubscriber) => formatTime(since, language) },
    {
      title: t('plans.nextPayment'),
      figures: true,
      cell: ({ price_cents, currency, cancel_at_period_end }: PlanSubscriber) =>
        cancel_at_period_end ? '–' : money(price_cents, currency),
    },
    {
      title: t('plans.currentPeriodEnds'),
      cell: ({ period_ends_at }: PlanSubscriber) => formatTime(period_ends_at, language),
    },
    {
      title: t('plans.renewalStatus'),
      cell: ({ status, cancel_at_period_end }: PlanSubscriber) =>
        t(
          status === 'past_due' ? 'plans.pastDue' : cancel_at_period_end ? 'plans.cancelled' : 'plans.renews',
        ),
    },
  ]
  return (
    <>
      {subscribers.data && (
        <Table
          caption={t('plans.members')}
          columns={columns}
          rows={subscribers.data.pages.flatMap(({ list }) => list)}
          keyOf={({ subscription_id }) => subscription_id}
          empty={t('plans.noMembers')}
        />
      )}
      <ListFooter pages={subscribers} empty={null} />
    </>
  )
}
