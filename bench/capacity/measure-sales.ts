import { setTimeout as delay } from 'node:timers/promises'
import { countedMs, lineOf, type Bench } from './cost-table.ts'
import { visitorFactory } from '#server/testing/site/visitor.ts'
import { Shopper } from '#server/testing/builders/shopper.ts'
import { findBenchEpisode } from '#bench/site/bench-guests.ts'

const sales = 200
/** Number of requested links to bought episodes. */
const links = 1000
/** Number of guests who buy or watch at the same time. */
const atOnce = 5

/**
 * Measures the cost of a sale: a guest buys an episode in the sandbox and gets the receipt. Then measures the cost of a
 * link to a bought episode. Prints the sales per second.
 * @returns lines of the table, per sale and per link
 */
export async function measureSales({ site, pool, measured, settle }: Bench): Promise<string[][]> {
  const { lockedEpisodeId: episode_id } = await findBenchEpisode(site)
  const visitor = visitorFactory(site.url)
  const buyers: Shopper[] = []
  const sell = async () => {
    const buyer = await Shopper.create({ visitor })
    const { info, message } = await buyer.buy({ kind: 'episode', episode_id })
    if (info?.status !== 'paid') throw new Error(`An order was not paid: ${message ?? info?.status}`)
    buyers.push(buyer)
  }
  await sell()
  await settle()
  const selling = await measured(async () => {
    const startedAt = performance.now()
    await repeat(sales, sell)
    console.log(`${(sales / ((performance.now() - startedAt) / 1000)).toFixed(1)} sales a second`)
    await delay(countedMs)
  })
  const { rowCount } = await pool.query('SELECT FROM mails')
  if (rowCount !== 0) throw new Error(`${rowCount} receipts were not sent`)
  const opening = await measured(async () => {
    await repeat(links, async (index) => {
      const path = `/api/video/episode?episode_id=${episode_id}`
      const answer = await buyers[index % buyers.length]?.visitor.fetch(path)
      if (!answer?.ok || !(await answer.text()).includes('hls_url'))
        throw new Error('A bought episode has no link')
    })
    await delay(countedMs)
  })
  return [
    lineOf(`${sales} sales, per sale`, selling, sales),
    lineOf(`${links} links to bought episodes, per link`, opening, links),
  ]
}

/** Does some work `times` times, a few at once. */
async function repeat(times: number, work: (index: number) => Promise<void>): Promise<void> {
  let started = 0
  const workOneAfterTheOther = async () => {
    while (started < times) await work(started++)
  }
  await Promise.all(Array.from({ length: atOnce }, workOneAfterTheOther))
}
