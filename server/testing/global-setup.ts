import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { startEmbeddedDatabase } from '#server/platform/database/embedded/embedded-database.ts'
import { migrate } from '#server/platform/database/migrate.ts'
import { createLog } from '#server/platform/log.ts'
import { withDatabase } from './database/with-database.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    testServerUrl: string
    templateName: string
    /** User whose transactions are read-only; undefined without TEST_REPLICA. */
    readerName: string | undefined
  }
}

const migrationsDir = join(import.meta.dirname, '..', 'platform', 'database', 'migrations')

/**
 * Starts one PostgreSQL server for the whole test run, or uses TEST_DATABASE_URL. Migrates a template database that
 * `createTestDatabase()` clones.
 */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const log = createLog({ json: true, level: 'warn' })
  const server = await startServer(process.env['TEST_DATABASE_URL'])
  const templateName = `cliffhanger_test_${process.pid}`
  const admin = new pg.Client({ connectionString: server.url })
  await admin.connect()
  await admin.query(`CREATE DATABASE ${templateName}`)
  const pool = new pg.Pool({ connectionString: withDatabase(server.url, templateName) })
  await migrate(pool, { directory: migrationsDir, log })
  await pool.end()
  project.provide('testServerUrl', server.url)
  project.provide('templateName', templateName)
  const readerName = process.env['TEST_REPLICA'] === '1' ? `${templateName}_reader` : undefined
  if (readerName !== undefined) {
    // Like a replica, this user can read everything and write nothing.
    await admin.query(`CREATE ROLE ${readerName} LOGIN SUPERUSER`)
    await admin.query(`ALTER ROLE ${readerName} SET default_transaction_read_only = on`)
  }
  project.provide('readerName', readerName)
  return async () => {
    if (readerName !== undefined) await admin.query(`DROP ROLE ${readerName}`)
    await admin.query(`DROP DATABASE ${templateName}`)
    await admin.end()
    await server.stop()
  }

  async function startServer(url: string | undefined) {
    if (url !== undefined) return { url, stop: async () => {} }
    const dataDir = mkdtempSync(join(tmpdir(), 'cliffhanger-test-'))
    const { connection, stop } = await startEmbeddedDatabase({ dataDir, log, durable: false })
    const { user, database, host } = connection
    return {
      // `URL` must be able to parse DATABASE_URL, so the socket's folder is a parameter.
      url: `postgres:///${database}?user=${user}&host=${encodeURIComponent(host)}`,
      stop: async () => {
        await stop()
        rmSync(dataDir, { recursive: true, force: true })
      },
    }
  }
}
