import { languages } from '#contract/languages.ts'
import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import type { BillingContext } from '#server/features/billing/billing-context.ts'
import { createSandboxGateway } from '#server/features/billing/gateways/sandbox/sandbox-gateway.ts'
import { systemClock } from '#server/platform/clock.ts'
import { readLimits } from '#server/platform/config.ts'
import { columnTypes } from '#server/platform/database/column-types.ts'
import { createLog } from '#server/platform/log.ts'
import { readOperator } from '#server/platform/read-operator.ts'
import { readTracking } from '#server/platform/read-tracking.ts'
import type { Tables } from '#server/tables.ts'

/**
 * Does some billing in this process, which ends by SIGKILL at a chosen place: `before` or just after sending (`sent`) its
 * n-th statement, or after so many milliseconds (`after`). Prints how many statements a whole run has, and which commit.
 */
export async function crashInBilling(
  url: string,
  [when = 'never', at = '0']: readonly string[],
  work: (context: BillingContext) => Promise<void>,
): Promise<void> {
  const die = () => process.kill(process.pid, 'SIGKILL')
  const statements: string[] = []
  const pool = new pg.Pool({ connectionString: url, types: columnTypes })
  pool.on('connect', (client) => {
    const query = client.query.bind(client) as (...given: unknown[]) => unknown
    const counted = (...given: unknown[]) => {
      statements.push(String(given[0]))
      const due = statements.length === Number(at)
      if (due && when === 'before') die()
      const result = query(...given)
      if (due && when === 'sent') process.nextTick(die)
      return result
    }
    // The overloads of `query` are all passed on as they come.
    client.query = counted as typeof client.query
  })
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
  await db.connection().execute(async () => {})
  if (when === 'after') setTimeout(die, Number(at))
  await work(billingOn(db))
  const commits = statements.flatMap((text, index) => (text.toLowerCase() === 'commit' ? [index + 1] : []))
  await db.destroy()
  process.stdout.write(`${JSON.stringify({ statements: statements.length, commits })}\n`)
}

function billingOn(db: Kysely<Tables>): BillingContext {
  const shared = { db, clock: systemClock, realClock: systemClock, secret: 'a secret of the tests' }
  return {
    ...shared,
    secure: false,
    publicUrl: 'http://localhost:3000',
    languages: () => languages,
    operator: readOperator({}),
    limits: readLimits({}),
    moments: { keep: [], register: [], consent: [], merge: [], erase: [], export: [] },
    log: createLog({ json: true, level: 'silent' }),
    gateways: [createSandboxGateway({ ...shared, notify: () => {} })],
    tracking: readTracking({}),
    consentsOf: async () => new Map(),
    holdAgreement: async () => false,
    findReferrer: async () => undefined,
    forgetClicksOfOrders: async () => {},
    translate: (_language: string, key: string) => key,
    experiments: { running: () => Promise.resolve([]) },
    findCover: () => Promise.reject(new Error('not asked for')),
  }
}
