import { sql, type ExpressionBuilder, type Insertable, type Selectable } from 'kysely'
import type { GatewayId } from '#contract/billing.ts'
import type { Db, Tables, Tx } from '#server/tables.ts'
import { revokeConsentsOfUser, revokeConsentsOfMethod } from './method-consent-queries.ts'
import { lockOwner } from './order-queries.ts'
import { takeDueForPolling, type DueQuery, type Poll } from './polling-queries.ts'
import type * as tables from '#server/features/billing/tables.ts'

export type MethodRow = Selectable<tables.PaymentMethodsTable>

/**
 * Stores a method for renewals or purchases. If the method already exists, keeps its id and cancels its deletion.
 * @returns its id
 */
export async function insertPaymentMethod(
  tx: Tx,
  method: Insertable<tables.PaymentMethodsTable>,
): Promise<string> {
  const { id } = await tx
    .insertInto('payment_methods')
    .values(method)
    .onConflict((conflict) =>
      conflict.columns(['gateway', 'reference']).doUpdateSet(({ ref }) => ({
        brand: ref('excluded.brand'),
        last4: ref('excluded.last4'),
        expires_at: ref('excluded.expires_at'),
        detach_attempts: 0,
        next_detach_at: null,
      })),
    )
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** Stores a method that will only be deleted at its gateway. Does nothing if the method already exists. */
export async function insertUnusedMethod(
  tx: Tx,
  method: Insertable<tables.PaymentMethodsTable>,
): Promise<void> {
  await tx
    .insertInto('payment_methods')
    .values(method)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** SQL condition: no buyer currently consents to pay for purchases with the method. */
const hasNoConsent = ({ not, exists, selectFrom }: ExpressionBuilder<Tables, 'payment_methods'>) =>
  not(
    exists(
      selectFrom('payment_method_consents')
        .select('order_id')
        .whereRef('payment_method_id', '=', 'payment_methods.id')
        .where('revoked_at', 'is', null),
    ),
  )

/**
 * Queues a user's unused methods for deletion at their gateways. A method is unused if no active subscription of any
 * user is charged with it, and no consent to purchases refers to it.
 */
export async function queueUnusedMethodsDetach(tx: Tx, userId: string, now: Date): Promise<void> {
  const unused = await tx
    .selectFrom('payment_methods')
    .select('id')
    .where('user_id', '=', userId)
    .where('next_detach_at', 'is', null)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('subscriptions')
            .select('id')
            .whereRef('payment_method_id', '=', 'payment_methods.id')
            .where('status', 'in', ['active', 'past_due']),
        ),
      ),
    )
    .where(hasNoConsent)
    .execute()
  for (const { id } of unused) await queueMethodDetach(tx, id, now)
}

/** Returns the gateway's id of a method from its reference, which may begin with the customer's id and a slash. */
export const shortMethodReference = (reference: string): string => reference.replace(/^.*\//, '')

/** Finds a method by the gateway's id, without the customer's id that may precede it in the reference. */
export function selectMethodByShortReference(db: Db, gateway: GatewayId, shortReference: string) {
  return db
    .selectFrom('payment_methods')
    .select(['id', 'reference'])
    .where('gateway', '=', gateway)
    .where(sql<string>`regexp_replace(reference, '^.*/', '')`, '=', shortReference)
    .executeTakeFirst()
}

/** Locks the owner of a method. @returns the owner, or undefined if the method has been deleted */
export function lockMethodOwner(tx: Tx, id: string): Promise<string | undefined> {
  return lockOwner(tx, async () => {
    const methods = tx.selectFrom('payment_methods').select('user_id')
    return (await methods.where('id', '=', id).executeTakeFirst())?.user_id
  })
}

/** Returns the active subscription that is charged with a method. */
export function selectSubscriptionOfMethod(tx: Tx, methodId: string) {
  return tx
    .selectFrom('subscriptions')
    .select('id')
    .where('payment_method_id', '=', methodId)
    .where('status', 'in', ['active', 'past_due'])
    .executeTakeFirst()
}

/** Queues a method for deletion at its gateway. From then on, it is not charged. */
export async function queueMethodDetach(tx: Tx, id: string, now: Date): Promise<void> {
  await tx
    .updateTable('subscriptions')
    .set({ payment_method_id: null })
    .where('payment_method_id', '=', id)
    .execute()
  await revokeConsentsOfMethod(tx, id, now)
  await tx
    .updateTable('payment_methods')
    .set({ brand: null, last4: null, expires_at: null, detach_attempts: 0, next_detach_at: now })
    .where('id', '=', id)
    .execute()
}

/**
 * Queues all of a user's methods for deletion at their gateways, revokes the consents, and deletes all other data of
 * the methods.
 */
export async function queueMethodsDetach(tx: Tx, userId: string, now: Date): Promise<void> {
  await tx
    .updateTable('subscriptions')
    .set({ payment_method_id: null })
    .where('user_id', '=', userId)
    .execute()
  await revokeConsentsOfUser(tx, userId, now)
  await tx
    .updateTable('payment_methods')
    .set({ brand: null, last4: null, expires_at: null, detach_attempts: 0, next_detach_at: now })
    .where('user_id', '=', userId)
    .where('next_detach_at', 'is', null)
    .execute()
}

/** Takes the methods whose deletion at the gateway is due. */
export function takeMethodsToDetach(tx: Tx, due: DueQuery) {
  const open = tx.selectFrom('payment_methods').selectAll().select('detach_attempts as poll_count')
  const savePoll = ({ id }: MethodRow, { poll_count, next_poll_at }: Poll) =>
    tx
      .updateTable('payment_methods')
      .set({ detach_attempts: poll_count, next_detach_at: next_poll_at })
      .where('id', '=', id)
  return takeDueForPolling(open, due, savePoll, 'next_detach_at')
}

/** Deletes a method, unless another payment has saved it again in the meantime. */
export async function deleteMethod(db: Db, id: string): Promise<void> {
  await db
    .deleteFrom('payment_methods')
    .where('id', '=', id)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('subscriptions').select('id').whereRef('payment_method_id', '=', 'payment_methods.id'),
        ),
      ),
    )
    .where(hasNoConsent)
    .execute()
}
