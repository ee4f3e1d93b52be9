import { pino, type DestinationStream, type Logger, type LoggerOptions } from 'pino'
import pretty from 'pino-pretty'
import { currentRequestId } from './request-id.ts'

export type Log = Logger

/** A log line of level `error`. */
export interface LoggedError {
  err: unknown
  message: string
  fields: Record<string, unknown>
}

interface LogOptions {
  json: boolean
  level?: string
  /** Called with each line of level `error` or higher that is written. */
  onError?: ((error: LoggedError) => void) | undefined
  /** Destination of JSON lines, for tests. */
  destination?: DestinationStream | undefined
}

/**
 * Creates the process's logger: readable lines for a terminal, JSON lines otherwise (`json`). Lines that a request logs
 * contain its id. Cookies and credentials of a logged request are redacted.
 */
export function createLog({ json, level = 'info', onError, destination }: LogOptions): Log {
  const options: LoggerOptions = {
    ...(onError ? { hooks: { logMethod: errorReportingHook(onError) } } : {}),
    level,
    mixin: requestFields,
    redact: ['req.headers.cookie', 'req.headers.authorization', '*.password', '*.secret'],
  }
  if (json) return destination ? pino(options, destination) : pino(options)
  return pino(
    options,
    pretty({ colorize: process.stdout.isTTY, ignore: 'pid,hostname', translateTime: 'SYS:HH:MM:ss' }),
  )
}

function requestFields(): { request_id?: string } {
  const request_id = currentRequestId()
  return request_id === undefined ? {} : { request_id }
}

const errorLevel = 50

/** Creates Pino's hook that reports errors before they are written. */
function errorReportingHook(
  onError: (error: LoggedError) => void,
): NonNullable<NonNullable<LoggerOptions['hooks']>['logMethod']> {
  return function reportAndWrite(args, write, level) {
    if (level >= errorLevel) onError(readError(args))
    write.apply(this, args)
  }
}

function readError([first, second]: readonly unknown[]): LoggedError {
  if (typeof first !== 'object' || first === null)
    return { err: undefined, message: String(first), fields: requestFields() }
  const { err, ...fields }: Record<string, unknown> = { ...requestFields(), ...first }
  return { err, message: String(second ?? ''), fields }
}
