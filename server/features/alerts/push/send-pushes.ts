import { createHash } from 'node:crypto'
import type { Agent } from 'node:https'
import type { OfferedLanguages } from '#contract/languages.ts'
import type { translate } from '#server/i18n/translate.ts'
import type { Clock } from '#server/platform/clock.ts'
import type { Log } from '#server/platform/log.ts'
import { NotPublic, openPublicAgent } from '#server/platform/public-network.ts'
import type { Db } from '#server/tables.ts'
import { postPush } from './post-push.ts'
import { writePush } from './push-message.ts'
import type { PushKeys } from './push-keys.ts'
import { claimPushes, deletePush, deleteSubscription, postponePush, type DuePush } from './push-queries.ts'
import { judgePush, type Verdict } from './push-verdict.ts'

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
/** Longer than one claim's pushes take; a process that died in between keeps them for so long. */
const claimMs = 120_000
const atOnce = 20

/**
 * Sends the pushes that are due, in any number of processes at once: claimed, sent, then deleted. Killed in between, a push is sent
 * again once the claim has run out; the browser shows it in the place of the first. Aborted, it takes no more.
 */
export async function sendPushes(context: PushContext, signal?: AbortSignal): Promise<void> {
  const { db, clock } = context
  const agent = context.pushAgent ?? (await openPublicAgent())
  try {
    while (!signal?.aborted) {
      const now = clock.now()
      const pushes = await claimPushes(db, now, new Date(now.getTime() + claimMs), atOnce)
      if (pushes.length === 0) return
      await Promise.all(pushes.map((push) => sendOne(context, agent, push)))
    }
  } finally {
    // One that is not ours may serve others still.
    if (agent !== context.pushAgent) agent.destroy()
  }
}

async function sendOne(context: PushContext, agent: Agent, push: DuePush): Promise<void> {
  const { db, clock, log } = context
  const isNews = push.is_published && push.expires_at > clock.now()
  const { verdict, reason } = isNews ? await send(context, agent, push) : noNews
  // Of the endpoint, which is a secret address, only the service is logged.
  const facts = { service: new URL(push.endpoint).host, attempts: push.attempts, reason }
  if (verdict === 'gone') return deleteSubscription(db, push.subscription_id)
  if (verdict === 'sent') return deletePush(db, push)
  if (verdict === 'refused') {
    if (isNews) log.warn(facts, 'A notification could not be sent and was given up')
    return deletePush(db, push)
  }
  log.info(facts, 'A notification could not be sent and is tried again')
  return postponePush(db, push, verdict.again)
}

interface Outcome {
  verdict: Verdict
  reason: string
}

const noNews: Outcome = { verdict: 'refused', reason: 'it is no news any more' }

async function send(context: PushContext, agent: Agent, push: DuePush): Promise<Outcome> {
  const { clock, pushTimeoutMs = usualTimeoutMs } = context
  try {
    const answer = await postPush(await encryptPush(context, push), agent, pushTimeoutMs)
    return { verdict: judgePush(push, clock.now(), answer), reason: `HTTP ${answer.status}` }
  } catch (error) {
    // Nobody's push service is there.
    if (error instanceof NotPublic) return { verdict: 'gone', reason: error.name }
    const reason = error instanceof Error ? error.name : 'no answer'
    return { verdict: judgePush(push, clock.now()), reason }
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
