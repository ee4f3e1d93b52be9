/** System codes of a server that cannot be reached or has gone. */
const unreachable = new Set([
  'ENOENT',
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
])

/**
 * SQLSTATE of a server that is going or not there yet, takes nobody more, or gave up on a statement or a lock in time; or on the
 * one before, which this needed (pipelines.ts).
 */
const unwilling = new Set(['53300', '57P01', '57P02', '57P03', '57P05', '57014', '55P03', '26000', '42P05'])

/** Said of a query for which too many wait already. */
export const tooManyWait = 'too many queries wait for the database'

/** What `pg` says, without a code, of a connection that broke or could not be had in time. */
const sentences = new Set([
  tooManyWait,
  'Connection terminated unexpectedly',
  'Connection terminated due to connection timeout',
  'Connection terminated',
  'timeout exceeded when trying to connect',
  'Query read timeout',
  'Client has encountered a connection error and is not queryable',
  'Client was closed and is not queryable',
])

/** Of a server that answers, but not this in time: SQLSTATE, or what `pg` says. */
const busy = new Set([
  '53300',
  '57014',
  '55P03',
  '26000',
  '42P05',
  tooManyWait,
  'timeout exceeded when trying to connect',
])

/**
 * Whether an error says that the database itself has gone or is silent, and not that it is busy: of a server that everybody would be
 * kept from for a single slow statement.
 */
export function isDatabaseGone(error: unknown): boolean {
  if (!(error instanceof Error) || !isDatabaseAway(error)) return false
  if (error instanceof AggregateError) return error.errors.some(isDatabaseGone)
  return !busy.has('code' in error && typeof error.code === 'string' ? error.code : error.message)
}

/** Whether an error says that the database cannot serve just now, for whatever passing reason. */
export function isDatabaseAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (error instanceof AggregateError) return error.errors.some(isDatabaseAway)
  if (!('code' in error) || typeof error.code !== 'string') return sentences.has(error.message)
  // A file that is not there has the same code as a socket that is not: only the network's calls count.
  if (unreachable.has(error.code))
    return 'syscall' in error && error.syscall !== 'open' && error.syscall !== 'stat'
  return unwilling.has(error.code) || /^08\w{3}$/.test(error.code)
}
