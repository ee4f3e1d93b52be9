import { preparedQuery, type Placeholders } from '#server/platform/database/prepared-query.ts'
import type { Db } from '#server/tables.ts'

const receipt = preparedQuery((db: Db, { id }: Placeholders<{ id: string }>) =>
  db
    .selectFrom('orders')
    .innerJoin('users', 'users.id', 'orders.user_id')
    .leftJoin('videos', 'videos.id', 'orders.video_id')
    .leftJoin('episodes', 'episodes.id', 'orders.episode_id')
    .leftJoin('plans', 'plans.id', 'orders.plan_id')
    .select([
      'orders.id',
      'orders.user_id',
      'orders.kind',
      'orders.email',
      'orders.consent',
      'orders.amount_cents',
      'orders.refunded_cents',
      'orders.discount_cents',
      'orders.currency',
      'orders.paid_at',
      'orders.period_no',
      'orders.subscription_id',
      'orders.tax_rate',
      'users.language',
      'users.time_zone',
      'users.member_since',
      'users.merged_into',
      'users.deleted_at',
      'videos.titles',
      'episodes.number',
      'plans.names',
      'plans.period_days',
    ])
    .where('orders.id', '=', id),
)

export type ReceiptRow = Awaited<ReturnType<typeof receipt>>[number]

/** Returns an order with all the data of its receipt. */
export async function selectReceipt(db: Db, id: string): Promise<ReceiptRow | undefined> {
  return (await receipt(db, { id }))[0]
}
