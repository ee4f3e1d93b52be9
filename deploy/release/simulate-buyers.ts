import { setTimeout as delay } from 'node:timers/promises'
import { getHomepage, getVideo } from '#contract/catalog.ts'
import { getEpisode } from '#contract/media.ts'
import type { BuiltVideo } from '#server/testing/builders/video-builders.ts'
import { Shopper } from '#server/testing/builders/shopper.ts'
import { visitorFactory } from '#server/testing/site/visitor.ts'
import { waitUntil } from '#server/testing/wait-until.ts'

/** Time after which a client whose journey failed starts the next one. */
const retryAfterMs = 250
/** Minimum number of customer journeys that must succeed before and after each step of a drill. */
const journeysPerStep = 5

export interface Buyers {
  /** Returns the number of successful journeys so far. */
  journeys: () => number
  /** Returns the number of failed journeys so far. */
  failures: () => number
  /** Waits until enough further journeys have succeeded, at most `timeoutMs`. */
  completeMore(timeoutMs: number): Promise<void>
  /** Finishes the current journeys. @returns the failures, and the ids of the orders that were reported as paid */
  end(): Promise<{ failures: string[]; paid: string[] }>
}

/**
 * Simulates new visitors who browse, buy a locked episode and play it. Each of `clients` concurrent clients runs one
 * journey after the other.
 */
export function simulateBuyers(url: string, { id, episodes }: BuiltVideo, clients: number): Buyers {
  const failures: string[] = []
  const paid: string[] = []
  let journeys = 0
  let isEnding = false
  const visitor = visitorFactory(url)
  const locked = episodes.at(-1)?.id ?? ''
  const buyContinuously = async () => {
    while (!isEnding)
      try {
        const shopper = await Shopper.create({ visitor })
        await buyAndPlay(shopper, id, locked, (orderId) => paid.push(orderId))
        journeys++
      } catch (error) {
        failures.push(String(error))
        await delay(retryAfterMs)
      }
  }
  const buyers = Array.from({ length: clients }, buyContinuously)
  return {
    journeys: () => journeys,
    failures: () => failures.length,
    async completeMore(timeoutMs) {
      const target = journeys + journeysPerStep
      await waitUntil('buyers continue to buy', () => journeys >= target, timeoutMs)
    },
    async end() {
      isEnding = true
      await Promise.all(buyers)
      return { failures, paid }
    },
  }
}

/**
 * Runs one journey.
 * @param onPaid called with the order's id when the site reports it as paid
 * @throws Error at the first call that fails
 */
async function buyAndPlay(
  shopper: Shopper,
  videoId: string,
  episodeId: string,
  onPaid: (orderId: string) => void,
): Promise<void> {
  const { visitor } = shopper
  await visitor.callOk(getHomepage)
  await visitor.callOk(getVideo, { query: { id: videoId } })
  const { info: order, message } = await shopper.buy({ episode_id: episodeId, method: 'card' })
  if (order?.status !== 'paid') throw new Error(`the order is ${order?.status ?? message}`)
  onPaid(order.id)
  await visitor.callOk(getEpisode, { query: { episode_id: episodeId } })
}
