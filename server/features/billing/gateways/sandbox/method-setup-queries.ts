import type { Insertable, Updateable } from 'kysely'
import type { Db, Tx } from '#server/tables.ts'
import type { PaymentRow } from './queries.ts'
import type { SandboxMethodSetupsTable } from './tables.ts'

export type MethodSetupRow = Awaited<
  ReturnType<ReturnType<typeof selectMethodSetups>['executeTakeFirstOrThrow']>
>

/** A payment or a method setup that needs the user's approval. */
export type ApprovalRequest = PaymentRow | MethodSetupRow

export const isMethodSetup = (approval: ApprovalRequest): approval is MethodSetupRow =>
  'method_setup_id' in approval

/** Selects setups with their methods. */
function selectMethodSetups(db: Db) {
  return db
    .selectFrom('sandbox_method_setups')
    .leftJoin('sandbox_payment_methods', 'sandbox_payment_methods.id', 'sandbox_method_setups.method_id')
    .selectAll('sandbox_method_setups')
    .select([
      'sandbox_payment_methods.brand',
      'sandbox_payment_methods.last4',
      'sandbox_payment_methods.card_expires_at',
    ])
}

export async function insertMethodSetup(tx: Tx, setup: Insertable<SandboxMethodSetupsTable>): Promise<void> {
  await tx.insertInto('sandbox_method_setups').values(setup).execute()
}

export function selectMethodSetup(db: Db, id: string) {
  return selectMethodSetups(db).where('sandbox_method_setups.id', '=', id).executeTakeFirst()
}

export function selectMethodSetupByKey(db: Db, key: string) {
  return selectMethodSetups(db).where('idempotency_key', '=', key).executeTakeFirst()
}

/** Sets the outcome of a setup that waits for the user. @returns false if the setup does not wait */
export async function decideMethodSetup(
  db: Db,
  id: string,
  change: Updateable<SandboxMethodSetupsTable>,
): Promise<boolean> {
  const update = db
    .updateTable('sandbox_method_setups')
    .set(change)
    .where('id', '=', id)
    .where('status', '=', 'requires_action')
  return (await update.executeTakeFirstOrThrow()).numUpdatedRows === 1n
}
