import { createHash } from 'node:crypto'
import type { Agent } from 'node:https'
import type { OfferedLanguages } from '#contract/languages.ts'
import type { translate } from '#server/i18n/translate.ts'
import type { Clock } from '#server/platform/clock.ts'
import type { Log } from '#server/platform/log.ts'
import { NotPublicError, openPublicAgent } from '#server/platform/public-network.ts'
import type { Db } from '#server/tables.ts'
import { postPush, type PushResponse } from './post-push.ts'
import { buildPushMessage } from './push-message.ts'
import type { PushKeys } from './push-keys.ts'
import {
  claimPushes,
  deletePush,
  deleteSubscription,
  releasePush,
  postponePush,
  type DuePush,
} from './push-queries.ts'
import { decidePushOutcome, unresponsivePauseMs } from './push-retry-policy.ts'

export interface PushContext {
  db: Db
  clock: Clock
  log: Log
  languages(): OfferedLanguages
  translate: typeof translate
  pushKeys: PushKeys
  /** E-mail address at which push services can contact the site's operator. */
  inbox(): string
  /** Timeout of a push service, in milliseconds. */
  pushTimeoutMs?: number
  /** Connects to push services; by default it refuses private networks. */
  pushAgent?: Agent
}

const defaultTimeoutMs = 10_000
/** Duration of a claim: longer than a push takes. Pushes claimed by a process that died wait for that long. */
const claimMs = 120_000
const maxConcurrent = 20
/** After this many pushes without a response, a run postpones the rest of that domain. */
const maxUnanswered = 3

/** State of one run of the job. */
interface Run {
  context: PushContext
  agent: Agent
  signal: AbortSignal
  /** Number of pushes to each domain without a response. */
  unansweredByDomain: Map<string, number>
}

/**
 * Sends the pushes that are due, in any number of processes concurrently: claimed, sent, then deleted. A slow service delays no
 * other: each completed push frees a slot. If the process dies in between, a push is sent again once the claim has expired; the
 * browser then replaces the first notification. When aborted, it claims no more and releases the pushes without a response.
 * @throws Error of the database, after all pushes in progress have ended
 */
export async function sendPushes(
  context: PushContext,
  signal: AbortSignal = new AbortController().signal,
): Promise<void> {
  const agent = context.pushAgent ?? (await openPublicAgent())
  try {
    await sendAll({ context, agent, signal, unansweredByDomain: new Map() })
  } finally {
    if (agent !== context.pushAgent) agent.destroy()
  }
}

async function sendAll(run: Run): Promise<void> {
  const inFlight = new Set<Promise<void>>()
  const failures: unknown[] = []
  const send = (push: DuePush) => {
    const sending = sendOne(run, push)
      .catch((error: unknown) => void failures.push(error))
      .finally(() => inFlight.delete(sending))
    inFlight.add(sending)
  }
  try {
    for (;;) {
      const capacity = run.signal.aborted || failures.length > 0 ? 0 : maxConcurrent - inFlight.size
      for (const push of await claim(run.context, capacity)) send(push)
      if (inFlight.size === 0) break
      await Promise.race(inFlight)
    }
  } finally {
    await Promise.all(inFlight)
  }
  if (failures.length > 0) throw failures[0]
}

async function claim({ db, clock, pushKeys }: PushContext, limit: number): Promise<DuePush[]> {
  if (limit === 0) return []
  const now = clock.now()
  return claimPushes(db, pushKeys.publicKey, now, new Date(now.getTime() + claimMs), limit)
}

async function sendOne(run: Run, push: DuePush): Promise<void> {
  const { context, unansweredByDomain } = run
  const { db, clock, log } = context
  if (!push.is_wanted || push.expires_at <= clock.now()) return deletePush(db, push)
  const domain = domainOf(push)
  if ((unansweredByDomain.get(domain) ?? 0) >= maxUnanswered)
    return releasePush(db, push, new Date(clock.now().getTime() + unresponsivePauseMs))
  const { answer, reason } = await post(run, push)
  if (answer === 'stopped') return releasePush(db, push, clock.now())
  if (answer === undefined) unansweredByDomain.set(domain, (unansweredByDomain.get(domain) ?? 0) + 1)
  const outcome = answer === 'private' ? 'gone' : decidePushOutcome(push, clock.now(), answer)
  // The endpoint is a secret address, so only its host is logged.
  const logFields = { service: new URL(push.endpoint).host, attempts: push.attempts, reason }
  if (outcome === 'sent') return deletePush(db, push)
  if (outcome === 'gone') {
    log.info(logFields, 'A push subscription was deleted, because its service no longer accepts it')
    return deleteSubscription(db, push.subscription_id)
  }
  if (outcome === 'refused') {
    log.warn(logFields, 'A push message was refused by its service and dropped')
    return deletePush(db, push)
  }
  log.info(logFields, 'A push message failed and will be retried')
  return postponePush(db, push, outcome.retryAt)
}

/** Returns a host's domain. Hosts under a domain are free for its owner, so timeouts are counted per domain. */
const domainOf = ({ endpoint }: DuePush) => new URL(endpoint).hostname.split('.').slice(-2).join('.')

/** The service's response; undefined without one, `stopped` if the run was aborted. */
interface PostResult {
  answer: PushResponse | 'private' | 'stopped' | undefined
  reason: string
}

async function post({ context, agent, signal }: Run, push: DuePush): Promise<PostResult> {
  const { pushTimeoutMs = defaultTimeoutMs } = context
  try {
    const answer = await postPush(await encryptPush(context, push), agent, pushTimeoutMs, signal)
    return { answer, reason: `HTTP ${answer.status}` }
  } catch (error) {
    const reason = error instanceof Error ? error.name : 'no answer'
    // No real push service has a private address.
    if (error instanceof NotPublicError) return { answer: 'private', reason }
    return { answer: signal.aborted ? 'stopped' : undefined, reason }
  }
}

/** Loaded on demand: large, and only the process that sends pushes needs it. */
const loadWebPush = async () => (await import('web-push')).default

/** Encrypts a push for the browser and signs it. While it waits at the service, a newer one of the same drama replaces it. */
async function encryptPush(context: PushContext, push: DuePush) {
  const { clock, languages, translate: translateText, pushKeys, inbox } = context
  const { endpoint, p256dh, auth, expires_at, video_id } = push
  const webPush = await loadWebPush()
  const payload = JSON.stringify(buildPushMessage(push, languages(), translateText))
  return webPush.generateRequestDetails({ endpoint, keys: { p256dh, auth } }, payload, {
    vapidDetails: { subject: `mailto:${inbox()}`, ...pushKeys },
    TTL: Math.floor((expires_at.getTime() - clock.now().getTime()) / 1000),
    urgency: 'normal',
    topic: createHash('sha256').update(video_id).digest('base64url').slice(0, 32),
  })
}
