import type { Clock } from '#server/platform/clock.ts'

export interface TokenCache {
  get(): Promise<string>
  /** Drops a rejected token. Does nothing if the token has already been replaced. */
  drop(token: string): void
}

/** A token is replaced this long before it expires, so that it does not expire in transit. */
const marginMs = 60_000

/** Caches an access token until it expires. Concurrent callers share one request. Each process has its own cache. */
export function createTokenCache(fetchToken: () => Promise<unknown>, clock: Clock): TokenCache {
  let cached: { token: string; endsAt: number } | undefined
  let pending: Promise<string> | undefined

  const renew = async () => {
    const { access_token, expires_in } = Object(await fetchToken()) as Record<string, unknown>
    if (typeof access_token !== 'string') throw new Error('PayPal returned no access token')
    cached = {
      token: access_token,
      endsAt: clock.now().getTime() + Number(expires_in ?? 0) * 1000 - marginMs,
    }
    return access_token
  }
  return {
    async get() {
      if (cached && cached.endsAt > clock.now().getTime()) return cached.token
      pending ??= renew().finally(() => (pending = undefined))
      return pending
    },
    drop(token) {
      if (cached?.token === token) cached = undefined
    },
  }
}
