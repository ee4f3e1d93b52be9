import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { pickRandom, startBillingBench, type BillingBench } from './start-billing-bench.ts'
import { runSite, type RunningSite } from './run-billing-site.ts'

const minute = 60_000
const day = 24 * 60 * minute
/**
 * Milliseconds: the minimum and maximum time from a process's first response until it is killed, and its usual start-up
 * time. On a machine where the start takes longer, processes are killed proportionally later.
 */
const [shortestMs, longestMs, usualStartMs] = [200, 4000, 2500]
const timeoutMs = 10_000
/** Amount of a partial refund in cents. */
const partCents = 40

/**
 * `npm run bench -- billing-kills`: customers check out at all three gateways, top up and spend balances, and pay with
 * saved cards; subscriptions renew and orders are refunded. Meanwhile the site's process is repeatedly killed by
 * SIGKILL (`--kills 100 --clients 8`). The clock advances between restarts.
 * The bench fails if a payment is lost, duplicated or still open afterwards, if a paid order gives no access, or if
 * an order gives access without a payment.
 */
export async function measureBillingKills(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: { kills: { type: 'string', default: '100' }, clients: { type: 'string', default: '8' } },
  })
  const kills = Number(values.kills)
  const shop = await startBillingBench()
  const running: { site?: RunningSite } = {}
  const closing = new AbortController()
  try {
    const clients = Array.from({ length: Number(values.clients) }, () => buyOn(shop, running, closing.signal))
    const started = Date.now()
    for (let kill = 1; kill <= kills; kill++) {
      const starts = performance.now()
      running.site = await runSite(shop.env, shop.options)
      const slowness = Math.max(1, (performance.now() - starts) / usualStartMs)
      await delay(slowness * (shortestMs + Math.random() * (longestMs - shortestMs)))
      await running.site.end('SIGKILL')
      advanceClock(shop)
      if (kill % 10 === 0) showProgress(kill, kills, started, shop)
    }
    running.site = await runSite(shop.env, shop.options)
    closing.abort()
    await Promise.all(clients)
    await running.site.end('SIGTERM')
    await shop.settle()
    console.log(
      `${kills} kills while ${values.clients} clients bought, ${shop.sales.length} checkouts started:`,
    )
    if (!(await shop.report(['sales', 'renewals', 'refunds']))) process.exitCode = 1
  } finally {
    closing.abort()
    await running.site?.end('SIGKILL')
    await shop.close()
  }
}

/**
 * Buys one product after the other until `signal` aborts. Sometimes the operator refunds an order, fully or partially.
 */
async function buyOn(
  shop: BillingBench,
  running: { site?: RunningSite },
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    for (const { orderId, status } of await shop.buy(timeoutMs)) {
      if (status !== 'paid' || Math.random() > 0.3) continue
      const whole = Math.random() < 0.5
      running.site?.send({ refund: { orderId, ...(whole ? {} : { amountCents: partCents }) } })
    }
  }
}

/** Advances the clock by a random time: often zero, at most two days. */
function advanceClock(shop: BillingBench): void {
  const passed = pickRandom([0, 0, 0, minute, 100 * minute, day * 2 * Math.random()])
  shop.setAhead(shop.options.aheadMs + passed)
}

function showProgress(kill: number, kills: number, started: number, { sales }: BillingBench): void {
  const leftS = Math.round(((Date.now() - started) / kill / 1000) * (kills - kill))
  console.log(`  ${kill} of ${kills} kills, ${sales.length} checkouts, about ${leftS} s left`)
}
