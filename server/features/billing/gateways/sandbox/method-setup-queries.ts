import type { Insertable, Updateable } from 'kysely'
import type { Db, Tx } from '#server/tables.ts'
import type { PaymentRow } from './queries.ts'
import type { SandboxSetupsTable } from './tables.ts'

export type MethodSetupRow = Awaited<
  ReturnType<ReturnType<typeof selectMethodSetups>['executeTakeFirstOrThrow']>
>

/** A payment or a method set-up that the user is asked to approve. */
export type ApprovalRequest = PaymentRow | MethodSetupRow

export const isMethodSetup = (approval: ApprovalRequest): approval is MethodSetupRow =>
  'method_setup_id' in approval

/** Selects set-ups with their methods. */
function selectMethodSetups(db: Db) {
  return db
    .selectFrom('sandbox_setups')
    .leftJoin('sandbox_methods', 'sandbox_methods.id', 'sandbox_setups.method_id')
    .selectAll('sandbox_setups')
    .select(['sandbox_methods.brand', 'sandbox_methods.last4', 'sandbox_methods.card_expires_at'])
}

export async function insertMethodSetup(tx: Tx, setup: Insertable<SandboxSetupsTable>): Promise<void> {
  await tx.insertInto('sandbox_setups').values(setup).execute()
}

export function selectMethodSetup(db: Db, id: string) {
  return selectMethodSetups(db).where('sandbox_setups.id', '=', id).executeTakeFirst()
}

export function selectMethodSetupByKey(db: Db, key: string) {
  return selectMethodSetups(db).where('idempotency_key', '=', key).executeTakeFirst()
}

/** Decides a set-up that waits for the user. @returns false if it no longer waits */
export async function decideMethodSetup(
  db: Db,
  id: string,
  change: Updateable<SandboxSetupsTable>,
): Promise<boolean> {
  const update = db
    .updateTable('sandbox_setups')
    .set(change)
    .where('id', '=', id)
    .where('status', '=', 'requires_action')
  return (await update.executeTakeFirstOrThrow()).numUpdatedRows === 1n
}
