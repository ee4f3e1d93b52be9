import { dayMs } from '#server/platform/clock.ts'
import { readInteger, type Env } from './read-env.ts'

/**
 * Limits on the resources that unauthenticated clients can use: connections, memory, time and storage
 * (docs/security.md).
 */
export interface ResourceLimits {
  /** Maximum concurrent connections of a process. */
  connections: number
  /** Maximum concurrent connections of one network, if there is no proxy in front. */
  connectionsPerNetwork: number
  /** Maximum time in which the client reads no byte of a response; then the response is aborted. */
  writeTimeoutSeconds: number
  /** Maximum concurrent large responses (sitemaps, files of the studio) of a process. */
  largeResponses: number
  /** Maximum concurrent large responses to one network. */
  largeResponsesPerNetwork: number
  /** Maximum concurrent exports of personal data in a process. Each user can run one. */
  concurrentExports: number
  /** Maximum time for a client to read a large response or an export. */
  exportSeconds: number
  /** Maximum bytes of analytics events that are stored per visitor. */
  eventBytesPerVisitor: number
  /** Maximum wait of a call for a database connection. */
  databaseWaitMs: number
  /** Analytics events are not recorded if DATA_DIR's disk has fewer free bytes. */
  minFreeBytes: number
  /** Orders that were never paid are deleted after this time. */
  unpaidOrderRetentionMs: number
}

/** Reads the resource limits. @throws ConfigError naming the invalid setting */
export function readResourceLimits(env: Env): ResourceLimits {
  const number = (name: string, defaultValue: number, max: number) =>
    readInteger(env, name, { min: 1, max }) ?? defaultValue
  return Object.freeze({
    connections: number('MAX_CONNECTIONS', 5000, 1_000_000),
    connectionsPerNetwork: number('MAX_CONNECTIONS_PER_IP', 1000, 1_000_000),
    writeTimeoutSeconds: number('WRITE_TIMEOUT_SECONDS', 30, 3600),
    largeResponses: number('MAX_LARGE_RESPONSES', 100, 100_000),
    largeResponsesPerNetwork: number('MAX_LARGE_RESPONSES_PER_IP', 20, 100_000),
    concurrentExports: number('MAX_CONCURRENT_EXPORTS', 4, 1000),
    exportSeconds: number('EXPORT_TIMEOUT_SECONDS', 300, 86_400),
    databaseWaitMs: number('DATABASE_POOL_TIMEOUT_SECONDS', 4, 600) * 1000,
    minFreeBytes: number('DISK_MIN_FREE_MB', 1024, 1_000_000_000) * 1024 ** 2,
    unpaidOrderRetentionMs: number('UNPAID_ORDER_RETENTION_DAYS', 30, 3650) * dayMs,
    eventBytesPerVisitor: number('MAX_EVENT_KB_PER_USER', 4096, 1_000_000) * 1024,
  })
}
