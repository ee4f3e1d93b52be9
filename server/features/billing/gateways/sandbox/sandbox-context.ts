import type { Clock } from '#server/platform/clock.ts'
import type { Db } from '#server/tables.ts'

export interface SandboxContext {
  /** Its own connection: what it commits stays, even if a transaction of ours rolls back. */
  db: Db
  clock: Clock
  secret: string
  /** Notifies the site about a payment. The notification may be lost. */
  notify(reference: string): void
}
