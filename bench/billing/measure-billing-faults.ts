import { parseArgs } from 'node:util'
import { startBillingBench, type BillingBench } from './start-billing-bench.ts'
import { runSite } from './run-billing-site.ts'

const timeoutMs = 60_000
/** Timeout of the site for one request to a gateway, in milliseconds. */
const gatewayTimeoutMs = 400
/** Real interval in milliseconds at which the accelerated clock advances: one simulated minute takes a second. */
const tickMs = 200

/**
 * `npm run bench -- billing-faults`: runs checkouts at all three gateways (`--checkouts 1000 --clients 8`), with a
 * network fault in every request that moves money. The five faults are equally likely. In two of them, the gateway does
 * not process the request: the request is lost, or the response is 429. In the other three, the gateway
 * processes the request, but the response is lost, has the status 500, or times out.
 * The bench fails if a payment is lost, duplicated or still open afterwards, if a paid order gives no access, or if
 * an order gives access without a payment.
 */
export async function measureBillingFaults(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      checkouts: { type: 'string', default: '1000' },
      clients: { type: 'string', default: '8' },
    },
  })
  const shop = await startBillingBench()
  shop.fakes.startFaults()
  const site = await runSite(shop.env, { ...shop.options, withFaults: true, gatewayTimeoutMs })
  const ticking = setInterval(() => {
    shop.setAhead(shop.options.aheadMs + tickMs * 60)
    site.send({ aheadMs: shop.options.aheadMs })
  }, tickMs)
  try {
    await buyAll(shop, Number(values.checkouts), Number(values.clients))
    clearInterval(ticking)
    await site.end('SIGTERM')
    await shop.settle()
    const paid = shop.sales.filter(({ status }) => status === 'paid').length
    console.log(`${values.checkouts} checkouts, of which ${paid} were reported as paid:`)
    if (!(await shop.report(['sales']))) process.exitCode = 1
  } finally {
    clearInterval(ticking)
    await site.end('SIGKILL')
    await shop.close()
  }
}

async function buyAll(shop: BillingBench, checkouts: number, clients: number): Promise<void> {
  const started = Date.now()
  let startedCount = 0
  let done = 0
  const buyOn = async () => {
    while (startedCount < checkouts) {
      startedCount++
      await shop.buy(timeoutMs)
      if (++done % 100 > 0) continue
      const leftS = Math.round(((Date.now() - started) / done / 1000) * (checkouts - done))
      console.log(`  ${done} of ${checkouts} checkouts, about ${leftS} s left`)
    }
  }
  await Promise.all(Array.from({ length: clients }, buyOn))
}
