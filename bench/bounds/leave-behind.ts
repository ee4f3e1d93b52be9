import { randomBytes } from 'node:crypto'
import { newCookies, post } from './people.ts'

/** How many of each a network sends. */
export interface Loads {
  beacons: number
  tokens: number
  orders: number
  flips: number
}

const words = (bytes: number) => randomBytes(bytes).toString('base64url')

/** What strangers send who want to fill the disk: each call with the most that it may carry, as somebody new. */
export function leaveBehind(url: string, planId: string, loads: Loads, part: number) {
  const calls: Record<keyof Loads, () => Promise<Response>> = {
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
      const consent = { shown: words(2900), immediate_delivery: true }
      const body = { kind: 'plan', plan_id: planId, gateway: 'sandbox', email: 'a@example.com', consent }
      return post(url, '/api/payment/order', body, { cookie, 'idempotency-key': words(24) })
    },
    async flips() {
      const cookie = await newCookies(url)
      const headers = { cookie, 'x-referrer-token': words(90), 'x-fbclid': words(300) }
      return post(url, '/api/user', { consent: { marketing: true } }, headers)
    },
  }
  const kinds = Object.keys(calls) as (keyof Loads)[]
  const left = new Map(kinds.map((kind) => [kind, Math.round(loads[kind] * part)]))
  const isDone = () => [...left.values()].every((count) => count === 0)
  return {
    isDone,
    async next(): Promise<void> {
      const [kind, count] = [...left].toSorted(([, a], [, b]) => b - a)[0] ?? []
      if (kind === undefined || !count) return
      left.set(kind, count - 1)
      await (await calls[kind]()).arrayBuffer()
    },
  }
}
