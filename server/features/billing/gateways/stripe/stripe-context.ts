import type Stripe from 'stripe'
import type { Log } from '#server/platform/log.ts'
import type { Db } from '#server/tables.ts'

export interface StripeContext {
  stripe: Stripe
  /** Stores the ids of Stripe's customers. */
  db: Db
  log: Log
}
