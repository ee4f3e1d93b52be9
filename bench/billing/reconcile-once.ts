// Runs the reconciliation with Stripe once, and sends the peak of its memory to the parent process.
import { createContext } from '#server/context.ts'
import { reconcile } from '#server/features/billing/reconciliation/reconcile.ts'
import { loadConfig } from '#server/platform/config/config.ts'
import { createLog } from '#server/platform/log.ts'

const config = loadConfig(process.env)
const log = createLog({ json: false, level: 'warn' })
const context = await createContext(config, log)
const gateways = context.gateways.filter(({ id }) => id === 'stripe')
const started = performance.now()
await reconcile({ ...context, gateways })
const seconds = (performance.now() - started) / 1000
const { rows } = await context.database.pool.query<{ reconciled: boolean; discrepancies: number }>(
  `SELECT EXISTS (SELECT FROM reconciliations WHERE gateway = 'stripe') AS reconciled,
    (SELECT count(*)::int FROM payment_discrepancies) + (SELECT count(*)::int FROM unmatched_payments) AS discrepancies`,
)
process.send?.({ ...rows[0], seconds, peakMb: process.resourceUsage().maxRSS / 1024 })
await context.close()
process.exit()
