import { withoutCardNumbers } from '#server/platform/card-number.ts'

/** One analytics event as a browser sent it, bounded. */
export interface SentEvent {
  name: string
  fields: Record<string, string>
  fbclid: string | undefined
  ttclid: string | undefined
}

const namePattern = /^[a-z][\w./{}-]{0,127}$/i
const fieldPattern = /^[a-z]\w{0,31}$/i
const mostFields = 16
const longestValue = 256
/** Of all fields together, names included. */
const mostOfFields = 2048
const longestClickId = 512

/**
 * Reads a beacon's query: `event` names it, `fbclid` and `ttclid` are the ad click ids, every other parameter is a field
 * of the event, without the card numbers that somebody may have typed where they do not belong. A field that is out of bounds
 * is left out; an event without a proper name is none.
 */
export function readEvent(query: unknown): SentEvent | null {
  const { event, fbclid, ttclid, ...others } = Object(query) as Record<string, unknown>
  if (typeof event !== 'string' || !namePattern.test(event)) return null
  let length = 0
  const fields = Object.entries(others)
    .filter(isField)
    .slice(0, mostFields)
    .filter(([field, value]) => (length += field.length + value.length) <= mostOfFields)
    .map(([field, value]) => [field, withoutCardNumbers(value)])
  return {
    name: event,
    fields: Object.fromEntries(fields),
    fbclid: isText(fbclid, longestClickId) ? fbclid : undefined,
    ttclid: isText(ttclid, longestClickId) ? ttclid : undefined,
  }
}

function isField(pair: [string, unknown]): pair is [string, string] {
  return fieldPattern.test(pair[0]) && isText(pair[1], longestValue)
}

/** Text that the database can hold: no NUL, no half of a surrogate pair. */
function isText(value: unknown, longest: number): value is string {
  return (
    typeof value === 'string' &&
    value !== '' &&
    value.length <= longest &&
    !value.includes('\0') &&
    value.isWellFormed()
  )
}
