import type { Call } from '#server/platform/http/route.ts'
import type { Db, Tx } from '#server/tables.ts'

/**
 * Runs work in a transaction, and sets the headers that it gives once that is committed: nobody gets the cookie of a
 * session that was not begun, or loses a guest's cookie for nothing.
 */
export async function answerInTransaction<C extends Pick<Call, 'setHeader'>, T>(
  db: Db,
  call: C,
  work: (tx: Tx, call: C) => Promise<T>,
): Promise<T> {
  const headers: [name: string, value: string][] = []
  const held = { ...call, setHeader: (name: string, value: string) => void headers.push([name, value]) }
  const result = await db.transaction().execute((tx) => work(tx, held))
  for (const [name, value] of headers) call.setHeader(name, value)
  return result
}
