import type { Agent } from 'node:https'
import type { Log } from '#server/platform/log.ts'
import { NotPublicError, openPublicAgent } from '#server/platform/public-network.ts'
import type { Db } from '#server/tables.ts'
import { encryptPush, type EncryptionContext } from './encrypt-push.ts'
import { postPush, type PushResponse } from './post-push.ts'
import {
  claimPushes,
  deletePush,
  deleteSubscription,
  releasePush,
  postponePush,
  type DuePush,
} from './push-queries.ts'
import { decidePushOutcome, unresponsivePauseMs } from './push-retry-policy.ts'

export interface PushContext extends EncryptionContext {
  db: Db
  log: Log
  /** Timeout of a request to a push service, in milliseconds. */
  pushTimeoutMs?: number
  /** Agent that connects to push services. The default refuses private networks. */
  pushAgent?: Agent
}

const defaultTimeoutMs = 10_000
/**
 * Duration of a claim, which is longer than an attempt takes. If a process dies, its claimed pushes are sent again
 * after this time.
 */
const claimMs = 120_000
const maxConcurrent = 20
/** After this many pushes to one domain without a response, the run postpones its other pushes to that domain. */
const maxUnanswered = 3

/** The state of one run of the job. */
interface Run {
  context: PushContext
  agent: Agent
  signal: AbortSignal
  /** Number of pushes without a response, by domain. */
  unansweredByDomain: Map<string, number>
}

/**
 * Sends the due pushes. Any number of processes may run this concurrently: each push is claimed, sent and then deleted.
 * A slow service does not delay the others, because each completed push frees a slot. If the process dies after
 * sending, the push is sent again once its claim has expired; the browser then replaces the first notification. After
 * an abort, no more pushes are claimed, and those without a response are released.
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
  // The endpoint's URL is a secret, so only its host is logged.
  const logFields = { service: new URL(push.endpoint).host, attempts: push.attempts, reason }
  if (outcome === 'sent') return deletePush(db, push)
  if (outcome === 'gone') {
    log.info(logFields, 'A push subscription was deleted because it is invalid or all attempts failed')
    return deleteSubscription(db, push.subscription_id)
  }
  if (outcome === 'refused') {
    log.warn(
      logFields,
      'A push message was deleted because its service refused it or a retry would be too late',
    )
    return deletePush(db, push)
  }
  log.info(logFields, 'A push message failed and will be retried')
  return postponePush(db, push, outcome.retryAt)
}

/**
 * Returns the last two labels of a host name. Timeouts are counted per domain, because the owner of a domain can create
 * any number of hosts.
 */
const domainOf = ({ endpoint }: DuePush) => new URL(endpoint).hostname.split('.').slice(-2).join('.')

/**
 * Result of an attempt: the service's response, or undefined without one. `private`: the host is in a private network.
 * `stopped`: the run was aborted.
 */
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
    // Real push services have public addresses. So the subscription is invalid.
    if (error instanceof NotPublicError) return { answer: 'private', reason }
    return { answer: signal.aborted ? 'stopped' : undefined, reason }
  }
}
