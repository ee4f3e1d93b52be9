import type { Pool, PoolClient, QueryConfig, QueryResult } from 'pg'

/** The texts of look-ups, as `lookUp` of prepared.ts has built them. */
const lookUps = new Set<string>()

/** Says that a statement is a look-up, for which a pipeline is made. */
export function markLookUp(text: string): void {
  lookUps.add(text)
}

export function isLookUp(text: string): boolean {
  return lookUps.has(text)
}

/** A connection down which many look-ups go without waiting for one another. */
export interface LookUpPipeline {
  query(statement: QueryConfig): Promise<QueryResult>
  end(): Promise<void>
}

/** What a pool has to be opened with to make a pipeline of its one connection. */
export const pipelining = { pipeline: true, max: 1 }

/**
 * The pipeline of a pool that was opened with `pipelining`. Whoever asks while others wait costs no round trip of its own: the
 * server reads all that has come and answers in order. It connects with the first look-up, and anew when the connection has
 * broken; look-ups that were under way then fail, as they would on a connection of their own.
 */
export function openLookUpPipeline(pool: Pool): LookUpPipeline {
  let connection: Promise<PoolClient> | undefined
  const connect = () => {
    const connecting = pool.connect()
    const forget = () => {
      const isOurs = connection === connecting
      if (isOurs) connection = undefined
      return isOurs
    }
    connecting.then(
      (client) => client.once('error', (error) => forget() && client.release(error)),
      () => forget(),
    )
    return connecting
  }
  return {
    async query(statement) {
      connection ??= connect()
      return (await connection).query(statement)
    },
    async end() {
      const last = await connection?.catch(() => undefined)
      connection = undefined
      last?.release()
      await pool.end()
    },
  }
}
