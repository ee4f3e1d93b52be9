import { dayMs } from '#server/platform/clock.ts'
import { wholeNumber, type Env } from './read-setting.ts'

/** How much of a process strangers may hold, and how much they may leave behind (docs/security.md). */
export interface Bounds {
  /** Connections to a process at once. */
  connections: number
  /** Of one network, if no proxy is in front. */
  connectionsOfNetwork: number
  /** An answer is aborted after this long without a byte read. */
  writeSeconds: number
  /** Large answers (sitemaps, files of the studio) that a process sends at once. */
  largeAnswers: number
  /** Of those, to one network. */
  largeAnswersOfNetwork: number
  /** Exports of personal data that a process sends at once; of one person, one. */
  exportsAtOnce: number
  /** How long a client may take for a large answer or an export. */
  exportSeconds: number
  /** Bytes of analytics events that are kept of one person. */
  eventBytesOfPerson: number
  /** How long a call waits for a connection to the database. */
  databaseWaitMs: number
  /** Below so many free bytes on the disk of DATA_DIR, analytics events are not recorded. */
  leastFreeBytes: number
  /** After so long, orders that were never paid are deleted. */
  unpaidOrdersMs: number
}

/** Reads the bounds. @throws ConfigError naming the one that is wrong */
export function readBounds(env: Env): Bounds {
  const number = (name: string, usual: number, most: number) =>
    wholeNumber(env, name, { min: 1, max: most }) ?? usual
  return Object.freeze({
    connections: number('CONNECTIONS', 5000, 1_000_000),
    connectionsOfNetwork: number('CONNECTIONS_NETWORK', 1000, 1_000_000),
    writeSeconds: number('WRITE_SECONDS', 30, 3600),
    largeAnswers: number('LARGE_ANSWERS', 100, 100_000),
    largeAnswersOfNetwork: number('LARGE_ANSWERS_NETWORK', 20, 100_000),
    exportsAtOnce: number('EXPORTS_AT_ONCE', 4, 1000),
    exportSeconds: number('EXPORT_SECONDS', 300, 86_400),
    databaseWaitMs: number('DATABASE_WAIT_SECONDS', 4, 600) * 1000,
    leastFreeBytes: number('DISK_LEAST_MB', 1024, 1_000_000_000) * 1024 ** 2,
    unpaidOrdersMs: number('UNPAID_ORDERS_DAYS', 30, 3650) * dayMs,
    eventBytesOfPerson: number('EVENT_KB_PERSON', 4096, 1_000_000) * 1024,
  })
}
