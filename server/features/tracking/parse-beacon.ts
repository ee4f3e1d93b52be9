import { withoutCardNumbers } from '#server/platform/card-number.ts'

/** An analytics event from a browser, after validation. */
export interface AnalyticsEvent {
  name: string
  fields: Record<string, string>
  fbclid: string | undefined
  ttclid: string | undefined
}

const namePattern = /^[a-z][\w./{}-]{0,127}$/i
const fieldPattern = /^[a-z]\w{0,31}$/i
const maxFields = 16
const maxValueLength = 256
/** Maximum total length of all fields, including their names. */
const maxTotalLength = 2048
const maxClickIdLength = 512

/**
 * Parses the query of a beacon: `event` is the name, `fbclid` and `ttclid` are ad click ids, and every other parameter
 * is a field of the event. Card numbers are removed from the fields. Invalid fields are ignored. Returns null without a
 * valid name.
 */
export function parseBeacon(query: unknown): AnalyticsEvent | null {
  const { event, fbclid, ttclid, ...others } = Object(query) as Record<string, unknown>
  if (typeof event !== 'string' || !namePattern.test(event)) return null
  let length = 0
  const fields = Object.entries(others)
    .filter(isField)
    .slice(0, maxFields)
    .filter(([field, value]) => (length += field.length + value.length) <= maxTotalLength)
    .map(([field, value]) => [field, withoutCardNumbers(value)])
  return {
    name: event,
    fields: Object.fromEntries(fields),
    fbclid: isText(fbclid, maxClickIdLength) ? fbclid : undefined,
    ttclid: isText(ttclid, maxClickIdLength) ? ttclid : undefined,
  }
}

function isField(pair: [string, unknown]): pair is [string, string] {
  return fieldPattern.test(pair[0]) && isText(pair[1], maxValueLength)
}

/** Returns whether a value is a text that PostgreSQL can store, without NUL and lone surrogates. */
function isText(value: unknown, maxLength: number): value is string {
  return (
    typeof value === 'string' &&
    value !== '' &&
    value.length <= maxLength &&
    !value.includes('\0') &&
    value.isWellFormed()
  )
}
