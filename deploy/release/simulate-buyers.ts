import { getHomepage, getVideo } from '#contract/catalog.ts'
import { getEpisode } from '#contract/media.ts'
import type { BuiltVideo } from '#server/testing/builders/builders.ts'
import { Shopper } from '#server/testing/builders/shopper.ts'
import { visitorsOf } from '#server/testing/site/visitor.ts'

export interface Buyers {
  /** The number of successful journeys so far. */
  journeys: () => number
  /** Finishes the current journeys. @returns the failures, and the orders that were reported as paid */
  end(): Promise<{ failures: string[]; paid: string[] }>
}

/** Simulates new visitors who browse, buy a locked episode and play it, sequentially in each of `clients` clients. */
export function simulateBuyers(url: string, { id, episodes }: BuiltVideo, clients: number): Buyers {
  const failures: string[] = []
  const paid: string[] = []
  let ending = false
  const visitor = visitorsOf(url)
  const locked = episodes.at(-1)?.id ?? ''
  const line = async () => {
    while (!ending)
      try {
        const shopper = await Shopper.on({ visitor })
        paid.push(await buyAndPlay(shopper, id, locked))
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
async function buyAndPlay(shopper: Shopper, videoId: string, episodeId: string): Promise<string> {
  const { visitor } = shopper
  await visitor.ask(getHomepage)
  await visitor.ask(getVideo, { query: { id: videoId } })
  const { info: order, message } = await shopper.buy({ episode_id: episodeId, method: 'card' })
  if (order?.status !== 'paid') throw new Error(`the order is ${order?.status ?? message}`)
  await visitor.ask(getEpisode, { query: { episode_id: episodeId } })
  return order.id
}
