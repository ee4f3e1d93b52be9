/** System error codes of a server that is unreachable or has closed the connection. */
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

/** SQLSTATE of a write that a standby refused. After a failover, the address may lead to a standby for a moment. */
export const readOnlyCode = '25006'

/**
 * SQLSTATEs of a server that cannot serve. It is shutting down, starting or a standby, has no free connection, or has
 * cancelled a statement or a lock wait after a time-out. After such a failure, a prepared statement may be missing
 * (pipelines.ts). The SQLSTATEs of that error are therefore included.
 */
const unavailableCodes = new Set([
  '53300',
  '57P01',
  '57P02',
  '57P03',
  '57P05',
  '57014',
  '55P03',
  '26000',
  '42P05',
  readOnlyCode,
])

/** The message for a query that is refused because too many are queued. */
export const tooManyQueriesMessage = 'too many queries wait for the database'

/** Messages of `pg`, and of Node for TLS, for a connection that broke or could not be opened in time. */
const driverMessages = new Set([
  tooManyQueriesMessage,
  'Connection terminated unexpectedly',
  'Connection terminated due to connection timeout',
  'Connection terminated',
  'timeout exceeded when trying to connect',
  'Query read timeout',
  'Client has encountered a connection error and is not queryable',
  'Client was closed and is not queryable',
  'Client network socket disconnected before secure TLS connection was established',
])

/** SQLSTATEs and `pg` messages of a server that responds, but refuses a statement or does not run it in time. */
const busy = new Set([
  '53300',
  '57014',
  '55P03',
  '26000',
  '42P05',
  readOnlyCode,
  tooManyQueriesMessage,
  'timeout exceeded when trying to connect',
])

/**
 * Returns whether an error means that the database itself is unreachable or silent, not just busy. If a busy server
 * counted as unreachable, a single slow statement would stop all use of the server.
 */
export function isDatabaseUnreachable(error: unknown): boolean {
  if (!(error instanceof Error) || !isDatabaseUnavailable(error)) return false
  if (error instanceof AggregateError) return error.errors.some(isDatabaseUnreachable)
  return !busy.has('code' in error && typeof error.code === 'string' ? error.code : error.message)
}

/** Returns whether an error means that the database cannot serve at the moment, for whatever reason. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (error instanceof AggregateError) return error.errors.some(isDatabaseUnavailable)
  if (driverMessages.has(error.message)) return true
  if (!('code' in error) || typeof error.code !== 'string') return false
  // A missing file has the same code as a missing socket. Only errors of network calls count.
  if (unreachable.has(error.code))
    return 'syscall' in error && error.syscall !== 'open' && error.syscall !== 'stat'
  return unavailableCodes.has(error.code) || /^08\w{3}$/.test(error.code)
}
