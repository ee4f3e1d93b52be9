import { randomBytes } from 'node:crypto'
import { cookiesOf, newCookies, post } from './bench-visitors.ts'

/** Number of requests of each kind from one network. */
export interface LoadCounts {
  beacons: number
  tokens: number
  orders: number
  flips: number
  payments: number
  favorites: number
}

const words = (bytes: number) => randomBytes(bytes).toString('base64url')

/** Sends requests that try to fill the disk. They have large payloads, and most kinds use many new visitors. */
export function sendStorageLoad(
  url: string,
  { planId, videoIds }: { planId: string; videoIds: readonly string[] },
  loads: LoadCounts,
  part: number,
) {
  let buyer: Promise<{ cookie: string; orderId: string }> | undefined
  let [paid, liked] = [0, 0]
  let guestCookies: Promise<string> | undefined
  const order = async () => {
    const cookie = await newCookies(url)
    const body = {
      kind: 'plan',
      plan_id: planId,
      gateway: 'sandbox',
      method: 'wallet',
      email: 'b@example.com',
    }
    const response = await post(url, '/api/payment/order', body, { cookie })
    const { info } = (await response.json()) as { info?: { id: string } }
    return { cookie: cookiesOf(response) || cookie, orderId: info?.id ?? '' }
  }
  const calls: Record<keyof LoadCounts, () => Promise<Response>> = {
    beacons() {
      const fields = Object.fromEntries(Array.from({ length: 16 }, (_, at) => [`f${at}`, words(180)]))
      return fetch(`${url}/api/statics.png?${new URLSearchParams({ event: 'filled', ...fields }).toString()}`)
    },
    tokens() {
      const query = new URLSearchParams({ event: 'visit', referrer_token: words(90) })
      return fetch(`${url}/api/statics.png?${query.toString()}`)
    },
    async orders() {
      const cookie = await newCookies(url)
      const consent = { terms_text: words(2900), immediate_delivery: true }
      const body = { kind: 'plan', plan_id: planId, gateway: 'sandbox', email: 'a@example.com', consent }
      return post(url, '/api/payment/order', body, { cookie, 'idempotency-key': words(24) })
    },
    async flips() {
      const cookie = await newCookies(url)
      const headers = { cookie, 'x-referrer-token': words(90), 'x-fbclid': words(300) }
      return post(url, '/api/user', { consent: { marketing: true } }, headers)
    },
    async payments() {
      if (paid++ % 25 === 0) buyer = order()
      const { cookie, orderId } = await (buyer ??= order())
      return post(url, '/api/payment/pay', { order_id: orderId, payment_token: words(8) }, { cookie })
    },
    async favorites() {
      if (liked % videoIds.length === 0) guestCookies = newCookies(url)
      const body = { video_id: videoIds[liked++ % videoIds.length] }
      return post(url, '/api/user/favorite', body, { cookie: await (guestCookies ??= newCookies(url)) })
    },
  }
  const kinds = Object.keys(calls) as (keyof LoadCounts)[]
  const remaining = new Map(kinds.map((kind) => [kind, Math.round(loads[kind] * part)]))
  const isDone = () => [...remaining.values()].every((count) => count === 0)
  return {
    isDone,
    async next(): Promise<void> {
      const [kind, count] = [...remaining].toSorted(([, a], [, b]) => b - a)[0] ?? []
      if (kind === undefined || !count) return
      remaining.set(kind, count - 1)
      await (await calls[kind]()).arrayBuffer()
    },
  }
}
