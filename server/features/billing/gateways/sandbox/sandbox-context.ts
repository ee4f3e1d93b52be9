import type { Clock } from '#server/platform/clock.ts'
import type { Db } from '#server/tables.ts'

export interface SandboxContext {
  /** Its own connection: what it commits stands, whatever becomes of a transaction of ours. */
  db: Db
  clock: Clock
  secret: string
  /** Tells the site about a payment. It may be lost. */
  notify(reference: string): void
}
