import type { ColumnType } from 'kysely'

/** The Stripe customers of users; read only by the Stripe gateway. */
export interface StripeTables {
  stripe_customers: {
    user_id: string
    customer: string | null
    /** The previous customer, deleted at Stripe. */
    gone: ColumnType<string | null, never, string | null>
  }
}
