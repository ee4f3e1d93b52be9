import { pino, type Logger } from 'pino'
import pretty from 'pino-pretty'

export type Log = Logger

/**
 * Makes the process's logger: readable lines for a person at a terminal, JSON lines otherwise (`json`).
 * Cookies and credentials of a logged request are blanked.
 */
export function createLog({ json, level = 'info' }: { json: boolean; level?: string }): Log {
  const options = {
    level,
    redact: ['req.headers.cookie', 'req.headers.authorization', '*.password', '*.secret'],
  }
  if (json) return pino(options)
  return pino(
    options,
    pretty({ colorize: process.stdout.isTTY, ignore: 'pid,hostname', translateTime: 'SYS:HH:MM:ss' }),
  )
}
