import type { ColumnType } from 'kysely'

/** The customers that Stripe has for our people. Nobody else reads it. */
export interface StripeTables {
  stripe_customers: {
    user_id: string
    customer: string | null
    /** The one before, which somebody deleted at Stripe. */
    gone: ColumnType<string | null, never, string | null>
  }
}
