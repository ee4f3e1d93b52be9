import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { inject } from 'vitest'
import { openDatabaseForRequests, type Database } from '#server/platform/database/database.ts'
import { createLog } from '#server/platform/log.ts'
import type { Tables } from '#server/tables.ts'
import { openTestPool } from './test-pool.ts'
import { withDatabase } from './with-database.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** URL of PgBouncer in front of the test server; undefined without TEST_POOLER. */
    poolerUrl: string | undefined
  }
}

/** Long, so that a busy machine does not make tests fail. */
const timeouts = { databaseWaitMs: 60_000, statementTimeoutMs: 60_000 }

/** A migrated, empty database for one test file. */
export interface TestDatabase extends Database<Tables> {
  /** URL for a second process or pool on the same database. It leads to PostgreSQL itself, never to a pooler. */
  url: string
}

/**
 * Clones the template database of this run, which takes about 30 ms. Call it once per test file in `beforeAll`, and
 * `close()` in `afterAll`.
 * @param options `direct`: never uses a pooler or a replica, like a worker or a command
 */
export async function createTestDatabase({ direct = false } = {}): Promise<TestDatabase> {
  const { url, drop } = await createDatabase(`TEMPLATE ${inject('templateName')} STRATEGY FILE_COPY`)
  const readerName = direct ? undefined : inject('readerName')
  const database =
    readerName === undefined
      ? openTestPool(url)
      : await openWithReplica(url, { readerName, poolerUrl: inject('poolerUrl') })
  return {
    ...database,
    url,
    close: async () => {
      await database.close().finally(drop)
    },
  }
}

/**
 * Opens a database as a web process with a replica does, through the pooler if there is one. The replica is the same
 * server, so it never lags, but its user cannot write. The primary repeats a refused statement, as on a site. A test
 * must not depend on this, so `close` then throws.
 */
export async function openWithReplica(
  url: string,
  { readerName, poolerUrl }: { readerName: string; poolerUrl?: string | undefined },
): Promise<Database<Tables>> {
  const { database: name = '' } = new pg.Client({ connectionString: url })
  const databaseUrl = poolerUrl === undefined ? url : withDatabase(poolerUrl, name)
  const refused: string[] = []
  const write = (line: string) => void (/in a read-only transaction/.test(line) && refused.push(line))
  const database = await openDatabaseForRequests<Tables>(
    {
      dataDir: '',
      migrate: false,
      databaseUrl,
      databaseDirectUrl: poolerUrl === undefined ? undefined : url,
      databaseReadUrls: [withUser(databaseUrl, readerName)],
    },
    createLog({ json: true, level: 'debug', destination: { write } }),
    timeouts,
  )
  return {
    ...database,
    async close() {
      await database.close()
      if (refused.length > 0) throw new Error(`readDb was used to write: ${refused.join('')}`)
    },
  }
}

function withUser(url: string, user: string): string {
  const changed = new URL(url)
  if (changed.host) changed.username = user
  else changed.searchParams.set('user', user)
  return changed.href
}

/** Creates an empty database without migrations. */
export function createEmptyDatabase(): Promise<{ url: string; drop(): Promise<void> }> {
  return createDatabase('')
}

async function createDatabase(how: string): Promise<{ url: string; drop(): Promise<void> }> {
  const serverUrl = inject('testServerUrl')
  const name = `${inject('templateName')}_${randomBytes(4).toString('hex')}`
  await executeOnServer(serverUrl, `CREATE DATABASE ${name} ${how}`)
  return {
    url: withDatabase(serverUrl, name),
    drop: () => executeOnServer(serverUrl, `DROP DATABASE ${name} WITH (FORCE)`),
  }
}

/** Runs one statement outside a transaction on a new connection, as CREATE DATABASE requires. */
async function executeOnServer(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
