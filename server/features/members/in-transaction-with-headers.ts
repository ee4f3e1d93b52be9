import { inTransaction } from '#server/platform/database/in-transaction.ts'
import type { Call } from '#server/platform/http/route.ts'
import type { Db, Tx } from '#server/tables.ts'

/**
 * Runs work in a transaction (`inTransaction`) and sets its headers after the commit. After a rollback, the caller must
 * neither get the cookie of a session that does not exist, nor lose the guest's cookie.
 */
export async function inTransactionWithHeaders<C extends Pick<Call, 'setHeader'>, T>(
  db: Db,
  call: C,
  work: (tx: Tx, call: C) => Promise<T>,
): Promise<T> {
  const { result, headers } = await inTransaction(db, async (tx) => {
    const headers: [name: string, value: string][] = []
    const deferredCall = {
      ...call,
      setHeader: (name: string, value: string) => void headers.push([name, value]),
    }
    return { result: await work(tx, deferredCall), headers }
  })
  for (const [name, value] of headers) call.setHeader(name, value)
  return result
}
