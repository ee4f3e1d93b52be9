import { dayMs } from '#server/platform/clock.ts'
import { wholeNumber, type Env } from './read-setting.ts'

/** Limits on the resources of a process, and of its storage, that unauthenticated clients can use (docs/security.md). */
export interface Bounds {
  /** Maximum concurrent connections of a process. */
  connections: number
  /** Maximum concurrent connections of one network, if there is no proxy in front. */
  connectionsOfNetwork: number
  /** A response is aborted if the client reads no byte for this long. */
  writeSeconds: number
  /** Maximum concurrent large responses (sitemaps, files of the studio) of a process. */
  largeAnswers: number
  /** Maximum concurrent large responses to one network. */
  largeAnswersOfNetwork: number
  /** Maximum concurrent exports of personal data of a process; one per user. */
  exportsAtOnce: number
  /** Maximum time for a client to read a large response or an export. */
  exportSeconds: number
  /** Maximum bytes of analytics events that are stored per visitor. */
  eventBytesOfPerson: number
  /** Maximum wait of a call for a database connection. */
  databaseWaitMs: number
  /** Analytics events are not recorded if DATA_DIR's disk has fewer free bytes. */
  leastFreeBytes: number
  /** Orders that were never paid are deleted after this time. */
  unpaidOrdersMs: number
}

/** Reads the bounds. @throws ConfigError naming the invalid one */
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
