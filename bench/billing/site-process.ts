// A site with all three gateways. It runs in its own process, which can be killed at any time. Messages from the
// parent process set its clock and request refunds, as an operator would. It exits when the parent exits.
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { BillingContext } from '#server/features/billing/billing-context.ts'
import { expireBonus } from '#server/features/billing/jobs/expire-bonus.ts'
import { runJanitor } from '#server/features/billing/jobs/janitor.ts'
import { refundOrder } from '#server/features/billing/refunds/refund-order.ts'
import { renewDueSubscriptions } from '#server/features/billing/jobs/renew-due-subscriptions.ts'
import { createContext } from '#server/context.ts'
import { loadConfig } from '#server/platform/config/config.ts'
import { createLog } from '#server/platform/log.ts'
import { createSite } from '#server/site.ts'
import { faultySandbox } from './faulty-sandbox.ts'
import type { Message, SiteOptions } from './run-billing-site.ts'

/** Interval in milliseconds of the jobs for renewals, open payments and expired bonus; shorter than on a real site. */
const roundMs = 150

const options = JSON.parse(process.argv[2] ?? '{}') as SiteOptions
let aheadMs = options.aheadMs
const clock = { now: () => new Date(Date.now() + aheadMs) }
const config = loadConfig(process.env)
const log = createLog({ json: true, level: config.logLevel })
const listening: { at?: string } = {}
const built = await createContext(config, log, {
  clock,
  webRoot: options.webRoot,
  localUrl: () => listening.at,
})
const { gatewayTimeoutMs } = options
const gateways = options.withFaults ? built.gateways.map(faultySandbox) : built.gateways
const context = { ...built, gateways, ...(gatewayTimeoutMs === undefined ? {} : { gatewayTimeoutMs }) }

process.on('disconnect', () => process.exit(0))
process.on('message', (message: Message) => {
  if ('aheadMs' in message) aheadMs = message.aheadMs
  else void refund(message.refund).catch((error: unknown) => log.warn({ err: error }, 'not refunded'))
})

const site = await createSite(context)
await site.listen({ port: config.port, host: '127.0.0.1' })
listening.at = `http://127.0.0.1:${(site.server.address() as AddressInfo).port}`
for (const work of [runJanitor, renewDueSubscriptions, expireBonus]) void rounds(work)
process.send?.('ready')

function refund({ orderId, amountCents }: { orderId: string; amountCents?: number }) {
  return refundOrder(context, orderId, { amountCents, reason: 'asked for' })
}

async function rounds(work: (context: BillingContext) => Promise<void>): Promise<void> {
  for (;;) {
    await work(context).catch((error: unknown) => log.warn({ err: error }, 'A round of the jobs failed'))
    await delay(roundMs)
  }
}
