import { createOrder, payOrder } from '#contract/billing.ts'
import { getHomepage, getVideo } from '#contract/catalog.ts'
import { getEpisode } from '#contract/media.ts'
import { getUser } from '#contract/members.ts'
import type { BuiltVideo } from '#server/testing/builders/builders.ts'
import { testCards } from '#server/testing/builders/shopper.ts'
import { Visitor } from '#server/testing/site/visitor.ts'

export interface Busy {
  /** How many journeys went through so far. */
  journeys: () => number
  /** Lets the journeys that are under way end. @returns what went wrong, and the orders that were answered as paid */
  end(): Promise<{ failures: string[]; paid: string[] }>
}

/** Has new visitors look around, buy a locked episode and play it, one after another in each of `clients` lines. */
export function keepBusy(url: string, { id, episodes }: BuiltVideo, clients: number): Busy {
  const failures: string[] = []
  const paid: string[] = []
  let ending = false
  const locked = episodes.at(-1)?.id ?? ''
  const line = async () => {
    while (!ending)
      try {
        paid.push(await buyAndPlay(new Visitor(url), id, locked))
      } catch (error) {
        failures.push(String(error))
      }
  }
  const lines = Array.from({ length: clients }, line)
  return {
    journeys: () => paid.length,
    async end() {
      ending = true
      await Promise.all(lines)
      return { failures, paid }
    },
  }
}

/** @returns the order's id @throws Error at the first call that fails */
async function buyAndPlay(visitor: Visitor, videoId: string, episodeId: string): Promise<string> {
  await visitor.ask(getUser)
  await visitor.ask(getHomepage)
  await visitor.ask(getVideo, { query: { id: videoId } })
  const { id } = await visitor.ask(createOrder, {
    body: {
      kind: 'episode',
      episode_id: episodeId,
      gateway: 'sandbox',
      method: 'card',
      email: 'ada@example.com',
    },
  })
  const response = await visitor.fetch('/sandbox/tokens', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ number: testCards.pays, expiry: '12 / 40', cvv: '123' }),
  })
  const { token } = (await response.json()) as { token: string }
  const body = { order_id: id, payment_token: token, first_name: 'Ada', last_name: 'Lovelace' }
  const order = await visitor.ask(payOrder, { body })
  if (order.status !== 'paid') throw new Error(`the order is ${order.status}`)
  await visitor.ask(getEpisode, { query: { episode_id: episodeId } })
  return id
}
