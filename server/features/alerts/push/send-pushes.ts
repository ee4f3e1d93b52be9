import { createHash } from 'node:crypto'
import type { Agent } from 'node:https'
import type { OfferedLanguages } from '#contract/languages.ts'
import type { translate } from '#server/i18n/translate.ts'
import type { Clock } from '#server/platform/clock.ts'
import type { Log } from '#server/platform/log.ts'
import { NotPublic, openPublicAgent } from '#server/platform/public-network.ts'
import type { Db } from '#server/tables.ts'
import { postPush, type PushAnswer } from './post-push.ts'
import { writePush } from './push-message.ts'
import type { PushKeys } from './push-keys.ts'
import {
  claimPushes,
  deletePush,
  deleteSubscription,
  handBackPush,
  postponePush,
  type DuePush,
} from './push-queries.ts'
import { judgePush, restMs } from './push-verdict.ts'

export interface PushContext {
  db: Db
  clock: Clock
  log: Log
  languages(): OfferedLanguages
  translate: typeof translate
  pushKeys: PushKeys
  /** Where push services may complain about the site: an e-mail address. */
  inbox(): string
  /** How long a push service may take, in milliseconds. */
  pushTimeoutMs?: number
  /** Connections to push services; without one, those that do not lead into our own network. */
  pushAgent?: Agent
}

const usualTimeoutMs = 10_000
/** Longer than a push takes; those of a process that died wait for so long. */
const claimMs = 120_000
const atOnce = 20
/** So many pushes without an answer, and a run leaves the rest of that domain for later. */
const mostSilent = 3

/** What one run of the job knows. */
interface Run {
  context: PushContext
  agent: Agent
  signal: AbortSignal
  /** How many pushes to a domain had no answer. */
  silent: Map<string, number>
}

/**
 * Sends the pushes that are due, in any number of processes at once: claimed, sent, then deleted. A slow service holds up nobody
 * else's: whatever is done makes room for the next. Killed in between, a push is sent again once the claim has run out; the browser
 * shows it in the place of the first. Aborted, it takes no more and hands back what had no answer yet.
 * @throws Error of the database, once all that had begun is done
 */
export async function sendPushes(
  context: PushContext,
  signal: AbortSignal = new AbortController().signal,
): Promise<void> {
  const agent = context.pushAgent ?? (await openPublicAgent())
  try {
    await sendAll({ context, agent, signal, silent: new Map() })
  } finally {
    if (agent !== context.pushAgent) agent.destroy()
  }
}

async function sendAll(run: Run): Promise<void> {
  const underway = new Set<Promise<void>>()
  const failures: unknown[] = []
  const send = (push: DuePush) => {
    const sending = sendOne(run, push)
      .catch((error: unknown) => void failures.push(error))
      .finally(() => underway.delete(sending))
    underway.add(sending)
  }
  try {
    for (;;) {
      const room = run.signal.aborted || failures.length > 0 ? 0 : atOnce - underway.size
      for (const push of await claim(run.context, room)) send(push)
      if (underway.size === 0) break
      await Promise.race(underway)
    }
  } finally {
    await Promise.all(underway)
  }
  if (failures.length > 0) throw failures[0]
}

async function claim({ db, clock, pushKeys }: PushContext, limit: number): Promise<DuePush[]> {
  if (limit === 0) return []
  const now = clock.now()
  return claimPushes(db, pushKeys.publicKey, now, new Date(now.getTime() + claimMs), limit)
}

async function sendOne(run: Run, push: DuePush): Promise<void> {
  const { context, silent } = run
  const { db, clock, log } = context
  if (!push.is_wanted || push.expires_at <= clock.now()) return deletePush(db, push)
  const domain = domainOf(push)
  if ((silent.get(domain) ?? 0) >= mostSilent)
    return handBackPush(db, push, new Date(clock.now().getTime() + restMs))
  const { answer, reason } = await post(run, push)
  if (answer === 'stopped') return handBackPush(db, push, clock.now())
  if (answer === undefined) silent.set(domain, (silent.get(domain) ?? 0) + 1)
  const verdict = answer === 'private' ? 'gone' : judgePush(push, clock.now(), answer)
  // Of the endpoint, which is a secret address, only the service is logged.
  const facts = { service: new URL(push.endpoint).host, attempts: push.attempts, reason }
  if (verdict === 'sent') return deletePush(db, push)
  if (verdict === 'gone') {
    log.info(facts, 'A browser gets no notifications any more: its subscription was deleted')
    return deleteSubscription(db, push.subscription_id)
  }
  if (verdict === 'refused') {
    log.warn(facts, 'A notification could not be sent and was given up')
    return deletePush(db, push)
  }
  log.info(facts, 'A notification could not be sent and is tried again')
  return postponePush(db, push, verdict.again)
}

/** Any number of names under a domain cost whoever owns it nothing, so silence is counted for all of them together. */
const domainOf = ({ endpoint }: DuePush) => new URL(endpoint).hostname.split('.').slice(-2).join('.')

/** How the service answered; undefined where it did not, `stopped` where nobody waited for it any more. */
interface Outcome {
  answer: PushAnswer | 'private' | 'stopped' | undefined
  reason: string
}

async function post({ context, agent, signal }: Run, push: DuePush): Promise<Outcome> {
  const { pushTimeoutMs = usualTimeoutMs } = context
  try {
    const answer = await postPush(await encryptPush(context, push), agent, pushTimeoutMs, signal)
    return { answer, reason: `HTTP ${answer.status}` }
  } catch (error) {
    const reason = error instanceof Error ? error.name : 'no answer'
    // Nobody's push service is there.
    if (error instanceof NotPublic) return { answer: 'private', reason }
    return { answer: signal.aborted ? 'stopped' : undefined, reason }
  }
}

/** Large, and only the process that sends pushes needs it. */
const loadWebPush = async () => (await import('web-push')).default

/** A push as it leaves: encrypted for the browser, signed by the site. While it waits at the service, a newer one of the drama replaces it. */
async function encryptPush(context: PushContext, push: DuePush) {
  const { clock, languages, translate: words, pushKeys, inbox } = context
  const { endpoint, p256dh, auth, expires_at, video_id } = push
  const webPush = await loadWebPush()
  const payload = JSON.stringify(writePush(push, languages(), words))
  return webPush.generateRequestDetails({ endpoint, keys: { p256dh, auth } }, payload, {
    vapidDetails: { subject: `mailto:${inbox()}`, ...pushKeys },
    TTL: Math.floor((expires_at.getTime() - clock.now().getTime()) / 1000),
    urgency: 'normal',
    topic: createHash('sha256').update(video_id).digest('base64url').slice(0, 32),
  })
}
