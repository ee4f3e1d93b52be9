import type { PostgresPool, PostgresPoolClient } from 'kysely'
import type { Log } from '#server/platform/log.ts'
import { isDatabaseUnreachable, tooManyQueriesMessage } from './database-unavailable.ts'
import type { Replica } from './replica.ts'

/**
 * Creates a pool for Kysely that reads from replicas. A process uses the same replica while it is healthy, so that no
 * read shows older data than the previous one. Each process prefers a random replica. A SELECT that fails on a replica
 * is retried once on the primary. After any other statement, the connection uses only the primary.
 */
export function createReplicaPool(
  replicas: readonly Replica[],
  primary: PostgresPool,
  log: Log,
): PostgresPool {
  const first = Math.floor(Math.random() * replicas.length)
  const inTurn = [...replicas.slice(first), ...replicas.slice(0, first)]
  return {
    options: primary.options,
    end: async () => {},
    connect: async () => lease(inTurn, await primary.connect(), log),
  }
}

type Query = (text: string, values: readonly unknown[]) => Promise<unknown>

/** @param own the lease of the primary, which takes no connection before its first query */
function lease(replicas: readonly Replica[], own: PostgresPoolClient, log: Log): PostgresPoolClient {
  // Kysely's type also has an overload for cursors, which nothing here uses.
  const queryPrimary = own.query.bind(own) as unknown as Query
  let usesPrimaryOnly = false
  const query: Query = async (text, values) => {
    usesPrimaryOnly ||= !/^\s*(select|with)\b/i.test(text)
    const replica = usesPrimaryOnly ? undefined : replicas.find(({ pool }) => pool !== undefined)
    if (!replica?.pool) return queryPrimary(text, values)
    try {
      return await queryReplica(replica.pool, text, values)
    } catch (error) {
      // With so many waiting queries, the primary could not run this one either.
      if (error instanceof Error && error.message === tooManyQueriesMessage) throw error
      if (isDatabaseUnreachable(error)) replica.takeOutOfUse(String(error))
      else
        log.debug(
          { err: error, replica: replica.name },
          'A query failed on a replica and is retried on the primary',
        )
      return queryPrimary(text, values)
    }
  }
  return {
    query: query as unknown as PostgresPoolClient['query'],
    release: (destroy) => own.release(destroy),
  }
}

async function queryReplica(pool: PostgresPool, text: string, values: readonly unknown[]): Promise<unknown> {
  const client = await pool.connect()
  try {
    return await (client.query.bind(client) as unknown as Query)(text, values)
  } finally {
    client.release()
  }
}
