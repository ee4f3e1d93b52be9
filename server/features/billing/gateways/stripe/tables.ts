import type { ColumnType } from 'kysely'

/** The Stripe customers of users. Only the Stripe gateway reads this table. */
export interface StripeTables {
  stripe_customers: {
    user_id: string
    customer_id: string | null
    /** The user's previous customer, if it was deleted at Stripe. */
    deleted_customer_id: ColumnType<string | null, never, string | null>
  }
}
