import { preparedLookup, type Placeholders } from '#server/platform/database/prepared-query.ts'
import type { Db, Tx } from '#server/tables.ts'

export function selectSecondFactor(db: Db, userId: string) {
  return db
    .selectFrom('second_factors')
    .select(['encrypted_secret', 'confirmed_at', 'last_totp_step'])
    .where('user_id', '=', userId)
    .executeTakeFirst()
}

const selectConfirmedFactor = preparedLookup((db: Db, { userId }: Placeholders<{ userId: string }>) =>
  db
    .selectFrom('second_factors')
    .select('user_id')
    .where('user_id', '=', userId)
    .where('confirmed_at', 'is not', null),
)

export async function hasConfirmedFactor(db: Db, userId: string): Promise<boolean> {
  return (await selectConfirmedFactor(db, { userId })).length > 0
}

/**
 * Stores an unconfirmed secret.
 * @returns false if the member already has a confirmed secret. That secret remains.
 */
export async function upsertUnconfirmedFactor(
  tx: Tx,
  userId: string,
  encrypted_secret: Buffer,
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('second_factors')
    .values({ user_id: userId, encrypted_secret, confirmed_at: null })
    .onConflict((conflict) =>
      conflict
        .column('user_id')
        .doUpdateSet({ encrypted_secret, last_totp_step: 0 })
        .where('second_factors.confirmed_at', 'is', null),
    )
    .executeTakeFirst()
  return numInsertedOrUpdatedRows === 1n
}

export async function confirmFactor(tx: Tx, userId: string, now: Date): Promise<void> {
  await tx.updateTable('second_factors').set({ confirmed_at: now }).where('user_id', '=', userId).execute()
}

/**
 * Marks a time step and earlier ones as used.
 * @returns false if this or a later step was already used
 */
export async function useTimeStep(tx: Tx, userId: string, step: number): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('second_factors')
    .set({ last_totp_step: step })
    .where('user_id', '=', userId)
    .where('last_totp_step', '<', step)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

export async function insertRecoveryCodes(tx: Tx, userId: string, hashes: readonly Buffer[]): Promise<void> {
  await tx
    .insertInto('recovery_codes')
    .values(hashes.map((hash) => ({ user_id: userId, hash })))
    .execute()
}

/**
 * Deletes a recovery code.
 * @returns whether the code existed
 */
export async function useRecoveryCode(tx: Tx, userId: string, hash: Buffer): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('recovery_codes')
    .where('user_id', '=', userId)
    .where('hash', '=', hash)
    .executeTakeFirst()
  return numDeletedRows === 1n
}

/** Deletes a factor with its recovery codes. */
export async function deleteFactor(tx: Tx, userId: string): Promise<void> {
  await tx.deleteFrom('second_factors').where('user_id', '=', userId).execute()
}
