import { pino, type DestinationStream, type Logger, type LoggerOptions } from 'pino'
import pretty from 'pino-pretty'

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
 * Creates the process's logger: readable lines for a terminal, JSON lines otherwise (`json`). Cookies and credentials
 * of a logged request are redacted.
 */
export function createLog({ json, level = 'info', onError, destination }: LogOptions): Log {
  const options: LoggerOptions = {
    ...(onError ? { hooks: { logMethod: errorReportingHook(onError) } } : {}),
    level,
    redact: ['req.headers.cookie', 'req.headers.authorization', '*.password', '*.secret'],
  }
  if (json) return destination ? pino(options, destination) : pino(options)
  return pino(
    options,
    pretty({ colorize: process.stdout.isTTY, ignore: 'pid,hostname', translateTime: 'SYS:HH:MM:ss' }),
  )
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
    return { err: undefined, message: String(first), fields: {} }
  const { err, ...fields }: Record<string, unknown> = { ...first }
  return { err, message: String(second ?? ''), fields }
}
