import type { Clock } from '#server/platform/clock.ts'
import { inTransaction } from '#server/platform/database/in-transaction.ts'
import type { Log } from '#server/platform/log.ts'
import type { Db, Tx } from '#server/tables.ts'
import { hasConsent } from '#server/features/tracking/consent.ts'
import {
  deleteConversions,
  finishConversion,
  blockConsentWithdrawal,
  claimDueConversion,
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
const maxPerRun = 50
const defaultTimeoutMs = 5000

/**
 * Sends due conversions to the platforms, one at a time. Each conversion is claimed first, so that no two processes
 * send it. If the process crashes before it stores the result, the conversion is sent again with the same id, and the
 * platforms count it once.
 */
export async function sendConversions(context: SendContext): Promise<void> {
  const { db, clock } = context
  const nextAttemptAt = (attempts: number) =>
    new Date(clock.now().getTime() + (retryDelaysMs[attempts - 1] ?? minuteMs))
  const destinations = await loadDestinations(context, db)
  for (let sent = 0; sent < maxPerRun; sent++) {
    const row = await inTransaction(db, (tx) => claimDueConversion(tx, clock.now(), nextAttemptAt))
    if (!row) return
    await sendAndRecord(context, destinations, row)
  }
}

async function sendAndRecord(
  context: SendContext,
  destinations: readonly Destination[],
  row: ConversionRow,
): Promise<void> {
  const { db, log } = context
  const outcome = await db.transaction().execute(async (tx) => {
    const sendOutcome = await sendWithConsent(context, tx, destinations, row)
    const finalState = sendOutcome && finalStateOf(row, sendOutcome)
    // Stores the state in this transaction, which still blocks a withdrawal. Otherwise, a withdrawal could delete the
    // sent conversion, because its state would still be pending.
    if (finalState) await finishConversion(tx, row, finalState)
    return sendOutcome
  })
  if (!outcome || outcome.result === 'delivered') return
  const logFields = {
    destination: row.destination,
    event: row.event_id,
    attempts: row.attempts,
    reason: outcome.reason,
  }
  if (finalStateOf(row, outcome)) log.warn(logFields, 'A conversion was abandoned')
  else log.info(logFields, 'A conversion was not accepted and will be retried')
}

/** Returns the final state of a conversion; undefined if it is retried. */
function finalStateOf({ attempts }: ConversionRow, { result }: Outcome): 'sent' | 'abandoned' | undefined {
  if (result === 'delivered') return 'sent'
  return result === 'later' && attempts <= retryDelaysMs.length ? undefined : 'abandoned'
}

interface Outcome {
  result: DeliveryResult
  reason: string
}

/**
 * Sends a conversion if the user still consents; otherwise deletes all of the user's waiting conversions. A withdrawal
 * waits until the request has ended (at most its timeout), so that nothing is sent after a withdrawal is committed.
 * @returns undefined if the user does not consent
 */
async function sendWithConsent(
  context: SendContext,
  tx: Tx,
  destinations: readonly Destination[],
  row: ConversionRow,
): Promise<Outcome | undefined> {
  await blockConsentWithdrawal(tx, row.user_id)
  if (!(await hasConsent(context.loadConsents, tx, row.user_id))) {
    await deleteConversions(tx, row.user_id, 'pending')
    return undefined
  }
  const destination = destinations.find(({ id }) => id === row.destination)
  return destination
    ? send(context, destination, row)
    : { result: 'refused', reason: 'the platform is no longer set up' }
}

async function send(
  { publicUrl, conversionTimeoutMs = defaultTimeoutMs }: SendContext,
  destination: Destination,
  row: ConversionRow,
): Promise<Outcome> {
  const pageUrl = `${publicUrl}${row.name === 'complete_registration' ? '/register' : '/order/result'}`
  const conversion = { name: row.name, eventId: row.event_id, at: row.at, details: row.details, pageUrl }
  const { url, headers, body } = destination.request(conversion)
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
      redirect: 'error',
      signal: AbortSignal.timeout(conversionTimeoutMs),
    })
    const responseBody: unknown = await response.json().catch(() => undefined)
    return {
      result: destination.evaluateResponse(response.status, responseBody),
      reason: `HTTP ${response.status}`,
    }
  } catch (error) {
    return { result: 'later', reason: error instanceof Error ? error.name : 'no answer' }
  }
}
