import { hash } from 'node:crypto'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Fault } from '#contract/errors.ts'
import type { Clock } from '#server/platform/clock.ts'
import type { CountedCalls, SummedCalls } from '#server/platform/database/share-call-counts.ts'
import type { RateLimit } from '#server/platform/config/read-env.ts'
import type { Log } from '#server/platform/log.ts'
import { countForNetworks, createCallCounter } from '#server/platform/http/limits/call-counter.ts'
import { checkRoutes, isApiRoute, type RouteAddress } from '#server/platform/http/request-guards.ts'
import type { Viewer } from '#server/platform/http/route.ts'

export interface RateLimitOptions {
  limits: { apiUser: RateLimit; apiIp: RateLimit }
  clock: Clock
  log: Log
  /** Adds this process's counts to those of the other processes, and returns the sums. */
  shareCalls(counted: readonly CountedCalls[]): Promise<SummedCalls[]>
}

const everyMs = 1000
const maxRefused = 10_000

/** Health checks, which are answered even to a client over its rate limit. */
const probes = new Set(['/api/health', '/api/ready'])

/** Returns whether a route is rate-limited. Probes and signed webhook events are not; media are outside of /api. */
function isCounted(route: RouteAddress): boolean {
  const notified = route.method === 'POST' && route.url.startsWith('/api/webhook/')
  return isApiRoute(route) && !notified && !probes.has(route.url)
}

/**
 * Enforces the rate limits per user and per IP, over all processes.
 * @returns a check to run once the caller is identified; it throws Fault tooManyRequests
 */
export function enforceRateLimits(app: FastifyInstance, options: RateLimitOptions) {
  const { limits, clock, log } = options
  const counter = createCallCounter(clock, (counted) => options.shareCalls(counted))
  const refused = createRefusedCallers(clock)
  const timer = setInterval(() => {
    counter
      .exchange()
      .catch((error: unknown) => log.warn({ err: error }, 'The counts of the rate limit could not be shared'))
  }, everyMs).unref()
  app.addHook('onClose', async () => clearInterval(timer))
  checkRoutes(app, isCounted, (request) =>
    refuse(refused.secondsLeft(request) || countForNetworks(counter, 'ip', request.ip, limits.apiIp)),
  )
  return (
    request: FastifyRequest,
    viewer: (Pick<Viewer, 'userId'> & { isStored?: boolean }) | null,
  ): void => {
    if (probes.has(request.routeOptions.url ?? '')) return
    // Guests are counted separately: a guest's first token may name a user who has registered since, and must not use
    // up the member's limit.
    const kind = viewer?.isStored === false ? 'guest' : 'user'
    const wait = viewer ? counter.count(`${kind} ${viewer.userId}`, limits.apiUser) : 0
    if (wait > 0) refused.add(request, wait)
    refuse(wait)
  }
}

function refuse(wait: number): void {
  if (wait > 0) throw new Fault('tooManyRequests', undefined, wait)
}

/** Remembers the tokens of refused users, to refuse them again without a lookup. */
function createRefusedCallers(clock: Clock) {
  const refusedUntil = new Map<string, number>()
  return {
    add(request: FastifyRequest, seconds: number) {
      if (refusedUntil.size >= maxRefused) refusedUntil.clear()
      refusedUntil.set(hashTokens(request), clock.now().getTime() + seconds * 1000)
    },
    secondsLeft(request: FastifyRequest): number {
      if (refusedUntil.size === 0) return 0
      const tokens = hashTokens(request)
      const end = refusedUntil.get(tokens)
      if (end === undefined) return 0
      const remainingSeconds = Math.ceil((end - clock.now().getTime()) / 1000)
      if (remainingSeconds <= 0) refusedUntil.delete(tokens)
      return Math.max(0, remainingSeconds)
    },
  }
}

/** Hashes the tokens, so that the key is short however long the cookies are. */
function hashTokens({ headers }: FastifyRequest): string {
  return hash('sha256', `${headers.cookie ?? ''}\n${String(headers['x-user-token'] ?? '')}`, 'base64url')
}
