import { Type, type Static, type TSchema } from 'typebox'
import { GatewayReference } from '#server/features/billing/gateways/gateway.ts'
import type { PaypalMoney } from './amounts.ts'

// These types have only those properties of PayPal's objects that this site reads. Properties that PayPal may omit are
// optional.

export interface Link {
  rel: string
  href: string
}

export interface Capture {
  id: string
  status: string
  amount?: PaypalMoney
  supplementary_data?: { related_ids?: { order_id?: string } }
}

export interface Refund {
  id: string
  status: string
  amount?: PaypalMoney
  custom_id?: string
}

export interface Order {
  id: string
  status: string
  create_time?: string
  purchase_units?: {
    reference_id?: string
    custom_id?: string
    invoice_id?: string
    amount?: PaypalMoney
    payments?: { captures?: Capture[]; refunds?: Refund[] }
  }[]
  payment_source?: {
    paypal?: { account_id?: string; email_address?: string; attributes?: { vault?: { id?: string } } }
  }
  links?: Link[]
}

/** The user's pending or given consent to save their wallet. */
export interface SetupToken {
  id: string
  status: string
  customer?: { id?: string; merchant_customer_id?: string }
  links?: Link[]
}

/** A saved wallet. */
export interface PaymentToken {
  id: string
  payment_source?: { paypal?: { account_id?: string; payer_id?: string } }
}

/** Makes a property optional and nullable. */
const nullish = <T extends TSchema>(schema: T) => Type.Optional(Type.Union([schema, Type.Null()]))

export const PaypalEvent = Type.Object({
  id: GatewayReference,
  event_type: GatewayReference,
  /** The subject of an event: a capture, refund, order, dispute or payment token, depending on `event_type`. */
  resource: nullish(
    Type.Object({
      id: nullish(GatewayReference),
      /** Present for a dispute, which has no `id`. */
      dispute_id: nullish(GatewayReference),
      /** Present if the approval of an order was reversed. */
      order_id: nullish(GatewayReference),
      invoice_id: nullish(Type.String()),
      /** The order with which a payment token was saved. */
      metadata: nullish(Type.Object({ order_id: nullish(GatewayReference) })),
      supplementary_data: nullish(
        Type.Object({ related_ids: nullish(Type.Object({ order_id: nullish(GatewayReference) })) }),
      ),
      disputed_transactions: nullish(
        Type.Array(Type.Object({ seller_transaction_id: nullish(GatewayReference) })),
      ),
      links: nullish(Type.Array(Type.Object({ rel: Type.String(), href: Type.String() }))),
    }),
  ),
})
export type PaypalEvent = Static<typeof PaypalEvent>

/** A dispute. PayPal's lists omit its outcome and its transactions. */
export interface Dispute {
  dispute_id: string
  status?: string
  create_time?: string
  reason?: string
  seller_response_due_date?: string
  dispute_amount?: PaypalMoney
  dispute_outcome?: { outcome_code?: string; amount_refunded?: PaypalMoney }
  /** `invoice_number` is the invoice id of the order. */
  disputed_transactions?: { seller_transaction_id?: string; invoice_number?: string }[]
}

export interface DisputeList {
  items?: Dispute[]
  links?: Link[]
}

export interface EventList {
  events?: PaypalEvent[]
  links?: Link[]
}

interface ErrorBody {
  name?: string
  debug_id?: string
  details?: { issue?: string }[]
  /** Set by the token endpoint. */
  error?: string
}

/** Returns PayPal's reason for a refusal and its debug id, from the response body. */
export function issueOf(body: unknown): { issue: string; debugId: string } {
  const { name, debug_id, details, error } = Object(body) as ErrorBody
  return { issue: details?.[0]?.issue ?? name ?? error ?? 'no reason', debugId: debug_id ?? 'none' }
}
