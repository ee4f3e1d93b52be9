import type { ColumnType } from 'kysely'

/** The Stripe customers of users; read only by the Stripe gateway. */
export interface StripeTables {
  stripe_customers: {
    user_id: string
    customer_id: string | null
    /** The previous customer, which was deleted at Stripe. */
    deleted_customer_id: ColumnType<string | null, never, string | null>
  }
}
