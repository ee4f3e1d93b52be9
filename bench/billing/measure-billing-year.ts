import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createContext } from '#server/context.ts'
import { loadConfig } from '#server/platform/config/config.ts'
import { openDatabase } from '#server/platform/database/database.ts'
import { createLog } from '#server/platform/log.ts'
import { simulateYear, type YearReport } from '#server/testing/billing-model/simulate-year.ts'
import type { Tables } from '#server/tables.ts'
import { benchEnv } from '#bench/site/start-bench-site.ts'
import { printLines } from '#bench/result-table.ts'

const log = createLog({ json: false, level: 'warn' })
const periodDays = [1, 7, 30, 365]
const maxMinutes = 10

/**
 * `npm run bench -- billing-year`: simulates a year of 500 subscriptions (`--subscriptions 100` for fewer), with two
 * schedulers on separate database connections. Fails if a subscription was not charged exactly once per period or was
 * charged after its cancellation, if the ledger differs from the gateway, or if the simulation takes
 * longer than `maxMinutes`.
 */
export async function measureBillingYear(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: { subscriptions: { type: 'string', default: '500' } },
  })
  const subscribersPerPeriod = Math.max(1, Math.round(Number(values.subscriptions) / periodDays.length))
  const dataDir = mkdtempSync(join(tmpdir(), 'cliffhanger-year-'))
  const config = loadConfig(benchEnv(dataDir))
  const first = await openDatabase<Tables>(config, log)
  const second = await openDatabase<Tables>(config, log)
  try {
    const context = await createContext(config, log, { database: first })
    const started = performance.now()
    const onStep = (day: number) => {
      if (day % 73 === 0) console.log(`  day ${day}: ${seconds(started)} s`)
    }
    const options = { subscribersPerPeriod, periodDays, cancelEvery: 9, onStep }
    const year = await simulateYear(context, [first.db, second.db], options)
    printYear(year, Number(seconds(started)))
  } finally {
    await second.close()
    await first.close()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

const seconds = (started: number) => ((performance.now() - started) / 1000).toFixed(0)

function printYear(
  { lines, wrongCharges, chargesAfterCancelling, balances }: YearReport,
  took: number,
): void {
  const sum = (what: 'subscriptions' | 'cancelled' | 'periods' | 'charges') =>
    String(lines.reduce((total, line) => total + line[what], 0))
  printLines([
    ['period', 'subscriptions', 'cancelled', 'periods', 'charges'],
    ...lines.map((line) => [
      `${line.periodDays} days`,
      ...[line.subscriptions, line.cancelled, line.periods, line.charges].map(String),
    ]),
    ['all', sum('subscriptions'), sum('cancelled'), sum('periods'), sum('charges')],
  ])
  console.log(
    `Subscriptions not charged exactly once per period: ${wrongCharges}. Charged after their cancellation: ${chargesAfterCancelling}.`,
  )
  console.log(
    `Money at the gateway in cents: ${balances.ledgerCents} according to the ledger, ${balances.gatewayCents} according to the gateway.`,
  )
  console.log(`${took} s, ${Math.round(Number(sum('charges')) / Math.max(took, 1))} charges per second.`)
  const isSound =
    wrongCharges === 0 && chargesAfterCancelling === 0 && balances.ledgerCents === balances.gatewayCents
  if (!isSound || took > maxMinutes * 60) process.exitCode = 1
}
