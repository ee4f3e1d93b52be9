import type { Clock } from '#server/platform/clock.ts'
import { inTransaction } from '#server/platform/database/in-transaction.ts'
import type { Log } from '#server/platform/log.ts'
import type { Db, Tx } from '#server/tables.ts'
import { hasConsent } from '#server/features/tracking/consent.ts'
import {
  deleteConversions,
  finishConversion,
  holdConsent,
  takeDueConversion,
  type ConversionRow,
} from './conversion-queries.ts'
import type { Destination, Verdict } from '#server/features/tracking/destination.ts'
import { destinationsOf, type ConversionContext } from './queue-conversion.ts'

export interface SendContext extends ConversionContext {
  db: Db
  clock: Clock
  log: Log
  publicUrl: string
  /** Time-out of a platform's response, in milliseconds. */
  conversionTimeoutMs?: number
}

const minuteMs = 60_000
/** Delays after the first attempt, the second and so on; then the conversion is abandoned. */
const pauses = [1, 5, 30, 120, 720].map((minutes) => minutes * minuteMs)
const mostPerRun = 50
const usualTimeoutMs = 5000

/**
 * Sends due conversions to the platforms, one at a time. Each is claimed before it is sent, so that no two processes send it. If the
 * process dies before it records the result, it is sent again with the same id, by which the platforms deduplicate.
 */
export async function sendConversions(context: SendContext): Promise<void> {
  const { db, clock } = context
  const next = (tries: number) => new Date(clock.now().getTime() + (pauses[tries - 1] ?? minuteMs))
  const destinations = await destinationsOf(context, db)
  for (let sent = 0; sent < mostPerRun; sent++) {
    const row = await inTransaction(db, (tx) => takeDueConversion(tx, clock.now(), next))
    if (!row) return
    await tell(context, destinations, row)
  }
}

async function tell(
  context: SendContext,
  destinations: readonly Destination[],
  row: ConversionRow,
): Promise<void> {
  const { db, log } = context
  const outcome = await db.transaction().execute(async (tx) => {
    const told = await sendWithConsent(context, tx, destinations, row)
    const end = told && endOf(row, told)
    // Before a withdrawal can continue: a sent conversion keeps its record.
    if (end) await finishConversion(tx, row, end)
    return told
  })
  if (!outcome || outcome.verdict === 'delivered') return
  const facts = {
    destination: row.destination,
    event: row.event_id,
    tries: row.tries,
    reason: outcome.reason,
  }
  if (endOf(row, outcome)) log.warn(facts, 'A conversion was abandoned')
  else log.info(facts, 'A conversion was not accepted and will be retried')
}

/** Returns the final state of a conversion; undefined if it is retried. */
function endOf({ tries }: ConversionRow, { verdict }: Outcome): 'sent' | 'abandoned' | undefined {
  if (verdict === 'delivered') return 'sent'
  return verdict === 'later' && tries <= pauses.length ? undefined : 'abandoned'
}

interface Outcome {
  verdict: Verdict
  reason: string
}

/**
 * Sends a conversion if the user still consents; otherwise queued ones are deleted. A withdrawal waits for the request (up to its
 * time-out), so that nothing is sent after one is committed.
 */
async function sendWithConsent(
  context: SendContext,
  tx: Tx,
  destinations: readonly Destination[],
  row: ConversionRow,
): Promise<Outcome | undefined> {
  await holdConsent(tx, row.user_id)
  if (!(await hasConsent(context.consentsOf, tx, row.user_id))) {
    await deleteConversions(tx, row.user_id, 'waiting')
    return undefined
  }
  const destination = destinations.find(({ id }) => id === row.destination)
  return destination
    ? send(context, destination, row)
    : { verdict: 'refused', reason: 'it is no longer set up' }
}

async function send(
  { publicUrl, conversionTimeoutMs = usualTimeoutMs }: SendContext,
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
    const answer: unknown = await response.json().catch(() => undefined)
    return { verdict: destination.judge(response.status, answer), reason: `HTTP ${response.status}` }
  } catch (error) {
    return { verdict: 'later', reason: error instanceof Error ? error.name : 'no answer' }
  }
}
