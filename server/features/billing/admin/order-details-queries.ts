import type { Db } from '#server/tables.ts'

/** Returns the refunds of all payments of an order, oldest first. */
export function selectRefundsOfOrder(db: Db, orderId: string) {
  return db
    .selectFrom('refunds')
    .innerJoin('payment_attempts', 'payment_attempts.id', 'refunds.attempt_id')
    .select([
      'refunds.id',
      'refunds.attempt_id',
      'refunds.amount_cents',
      'refunds.status',
      'refunds.reason',
      'refunds.created_at',
    ])
    .where('payment_attempts.order_id', '=', orderId)
    .orderBy('refunds.created_at')
    .orderBy('refunds.id')
    .execute()
}

/** Returns the webhook events about the payments of an order, oldest first. */
export function selectWebhookEventsOfOrder(db: Db, orderId: string) {
  return db
    .selectFrom('payment_attempts')
    .innerJoin('webhook_events', (join) =>
      join
        .onRef('webhook_events.gateway', '=', 'payment_attempts.gateway')
        .onRef('webhook_events.reference', '=', 'payment_attempts.reference'),
    )
    .select([
      'webhook_events.gateway',
      'webhook_events.event_id',
      'webhook_events.received_at',
      'webhook_events.applied_at',
    ])
    .where('payment_attempts.order_id', '=', orderId)
    .orderBy('webhook_events.received_at')
    .orderBy('webhook_events.event_id')
    .limit(200)
    .execute()
}

/** Returns the ledger lines of an order, oldest first. */
export function selectLedgerOfOrder(db: Db, orderId: string) {
  return db.selectFrom('ledger_lines').selectAll().where('order_id', '=', orderId).orderBy('id').execute()
}

/**
 * Returns the renewal date of the subscription whose current period this order paid. Returns undefined for any other
 * order, and if the subscription is cancelled, past due or ended.
 */
export async function selectRenewalDate(db: Db, orderId: string): Promise<Date | undefined> {
  const row = await db
    .selectFrom('orders')
    .innerJoin('subscriptions', (join) =>
      join
        .onRef('subscriptions.id', '=', 'orders.subscription_id')
        .onRef('subscriptions.period_no', '=', 'orders.period_no'),
    )
    .select('subscriptions.period_ends_at')
    .where('orders.id', '=', orderId)
    .where('subscriptions.status', '=', 'active')
    .where('subscriptions.cancel_at_period_end', '=', false)
    .executeTakeFirst()
  return row?.period_ends_at ?? undefined
}
