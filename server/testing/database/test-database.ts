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
const databaseWaitMs = 60_000

/** A migrated, empty database for one test file. */
export interface TestDatabase extends Database<Tables> {
  /** URL for a second process or pool on the same database; always that of PostgreSQL itself. */
  url: string
}

/**
 * Clones the template database of this run, which takes about 30 ms. Call it once per test file in `beforeAll`, and
 * `close()` in `afterAll`.
 */
export async function createTestDatabase(): Promise<TestDatabase> {
  const { url, drop } = await createDatabase(`TEMPLATE ${inject('templateName')} STRATEGY FILE_COPY`)
  const poolerUrl = inject('poolerUrl')
  const database = poolerUrl === undefined ? openTestPool(url) : await openThroughPooler(url, poolerUrl)
  return {
    ...database,
    url,
    close: async () => {
      await database.close()
      await drop()
    },
  }
}

/**
 * Opens a database as a web process with a pooler, a direct address and a replica does. The pooler's address is also
 * the replica's, so the replica never lags.
 */
function openThroughPooler(url: string, poolerUrl: string): Promise<Database<Tables>> {
  const { database = '' } = new pg.Client({ connectionString: url })
  const databaseUrl = withDatabase(poolerUrl, database)
  return openDatabaseForRequests<Tables>(
    { dataDir: '', migrate: false, databaseUrl, databaseDirectUrl: url, databaseReadUrls: [databaseUrl] },
    createLog({ json: true, level: 'silent' }),
    { databaseWaitMs },
  )
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
