import type { TestProject } from 'vitest/node'
import { startPgBouncer } from './run-pgbouncer.ts'

/** Starts PgBouncer in transaction mode in front of the server of a test run, for `npm run test:pooler`. */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const { testServerUrl, readerName } = project.getProvidedContext()
  // The time-outs are long, because a busy machine is slow.
  const { url, close } = await startPgBouncer(
    testServerUrl,
    { query_wait_timeout: '120' },
    { timeoutMs: 120_000, users: readerName === undefined ? [] : [readerName] },
  )
  project.provide('poolerUrl', url)
  return close
}
