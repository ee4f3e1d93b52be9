import type { Clock } from '#server/platform/clock.ts'
import type { Db } from '#server/tables.ts'

export interface SandboxContext {
  /** Must not be the caller's transaction. As with a third party, changes stay committed if the caller rolls back. */
  db: Db
  clock: Clock
  secret: string
  /** Sends the site a webhook event about a payment or a method setup. The event may be lost. */
  notify(reference: string): void
}
