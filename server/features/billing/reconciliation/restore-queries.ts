import type { Tx } from '#server/tables.ts'

/** Returns the e-mail addresses of a user's account and latest order, and the time when the account was deleted. */
export function selectBuyer(tx: Tx, userId: string) {
  return tx
    .selectFrom('users')
    .select(({ selectFrom }) => [
      'users.email',
      'users.deleted_at',
      selectFrom('orders')
        .select('orders.email')
        .whereRef('orders.user_id', '=', 'users.id')
        .where('orders.email', '<>', '')
        .orderBy('orders.created_at', 'desc')
        .limit(1)
        .as('last_email'),
    ])
    .where('users.id', '=', userId)
    .executeTakeFirst()
}
