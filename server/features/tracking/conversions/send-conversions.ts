import type { Clock } from '#server/platform/clock.ts'
import type { Log } from '#server/platform/log.ts'
import type { Db } from '#server/tables.ts'
import {
  blockConsentWithdrawals,
  claimDueConversions,
  deletePendingConversions,
  finishConversions,
  type ConversionRow,
} from './conversion-queries.ts'
import type { Destination, DeliveryResult } from './destination.ts'
import { loadDestinations, type ConversionContext } from './queue-conversion.ts'

export interface SendContext extends ConversionContext {
  db: Db
  clock: Clock
  log: Log
  publicUrl: string
  /** Maximum wait for a platform's response, in milliseconds. */
  conversionTimeoutMs?: number
}

const minuteMs = 60_000
/**
 * Delays after the first attempt, the second attempt and so on. If the attempt after the last delay fails, the
 * conversion is abandoned.
 */
const retryDelaysMs = [1, 5, 30, 120, 720].map((minutes) => minutes * minuteMs)
const defaultTimeoutMs = 5000
/** Number of conversions that are claimed, and sent at once. */
const batchSize = 20

/**
 * Sends due conversions to the platforms, in batches, until none is due. Each batch is claimed first, so that no two
 * processes send it. If the process crashes before it stores the results, the batch is sent again with the same ids, and
 * the platforms count each conversion once. Stops after an abort, and for this run if no conversion of a batch was
 * accepted.
 */
export async function sendConversions(context: SendContext, signal?: AbortSignal): Promise<void> {
  const { db, clock } = context
  while (!signal?.aborted) {
    const rows = await claimDueConversions(db, clock.now(), retryDelaysMs, batchSize)
    if (rows.length === 0) return
    const outcomes = await sendAndRecord(context, await loadDestinations(context, db), rows)
    const isPlatformDown = outcomes.length > 0 && outcomes.every(({ result }) => result === 'later')
    if (rows.length < batchSize || isPlatformDown) return
  }
}

/**
 * Sends the conversions of users who consent, and deletes those of other users. The requests run within one transaction,
 * for which a withdrawal of consent waits (at most their timeout), so that nothing is sent after a withdrawal is
 * committed. Skips users who are withdrawing consent: their conversions are about to be deleted, or are retried.
 * @returns the outcomes of the requests
 */
async function sendAndRecord(
  context: SendContext,
  destinations: readonly Destination[],
  claimed: readonly ConversionRow[],
): Promise<Outcome[]> {
  const outcomes = await context.db.transaction().execute(async (tx) => {
    const users = await blockConsentWithdrawals(
      tx,
      claimed.map(({ user_id }) => user_id),
    )
    const consents = await context.loadConsents(tx, [...users])
    const { allowed = [], refused = [] } = Object.groupBy(
      claimed.filter(({ user_id }) => users.has(user_id)),
      ({ user_id }) => (consents.get(user_id) ? 'allowed' : 'refused'),
    )
    // Since the claim, a sign-in may have moved a conversion to a member who consents. It is sent later.
    await deletePendingConversions(tx, refused)
    const sent = await Promise.all(allowed.map((row) => send(context, destinations, row)))
    // Stores the states in this transaction, which still blocks withdrawals. Otherwise, a withdrawal could delete a sent
    // conversion, because its state would still be pending.
    for (const state of ['sent', 'abandoned'] as const)
      await finishConversions(
        tx,
        sent.filter((outcome) => finalStateOf(outcome) === state).map(({ row }) => row),
        state,
      )
    return sent
  })
  for (const outcome of outcomes) logFailure(context.log, outcome)
  return outcomes
}

interface Outcome {
  row: ConversionRow
  result: DeliveryResult
  reason: string
}

/** Returns the final state of a conversion; undefined if it is retried. */
function finalStateOf({ row, result }: Outcome): 'sent' | 'abandoned' | undefined {
  if (result === 'delivered') return 'sent'
  return result === 'later' && row.attempts <= retryDelaysMs.length ? undefined : 'abandoned'
}

function logFailure(log: Log, outcome: Outcome): void {
  const { row, result, reason } = outcome
  if (result === 'delivered') return
  const { destination, event_id: event, attempts } = row
  const logFields = { destination, event, attempts, reason }
  if (finalStateOf(outcome)) log.warn(logFields, 'A conversion was abandoned')
  else log.info(logFields, 'A conversion was not accepted and will be retried')
}

async function send(
  { publicUrl, conversionTimeoutMs = defaultTimeoutMs }: SendContext,
  destinations: readonly Destination[],
  row: ConversionRow,
): Promise<Outcome> {
  const destination = destinations.find(({ id }) => id === row.destination)
  if (!destination) return { row, result: 'refused', reason: 'the platform is no longer set up' }
  const pageUrl = `${publicUrl}${row.name === 'complete_registration' ? '/register' : '/order/result'}`
  const { name, event_id: eventId, at, details } = row
  try {
    const { url, headers, body } = destination.request({ name, eventId, at, details, pageUrl })
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
      redirect: 'error',
      signal: AbortSignal.timeout(conversionTimeoutMs),
    })
    const responseBody: unknown = await response.json().catch(() => undefined)
    const result = destination.evaluateResponse(response.status, responseBody)
    return { row, result, reason: `HTTP ${response.status}` }
  } catch (error) {
    return { row, result: 'later', reason: error instanceof Error ? error.name : 'no answer' }
  }
}
