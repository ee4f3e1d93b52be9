import { Type, type Static } from 'typebox'
import { endpoint } from './endpoint.ts'
import { LinkSecret, User } from './members.ts'
import { Cents, Currency, Id, Time, FormText, nullable } from './schemas.ts'

/** The receipt of a paid order: the seller, the tax, and how a plan renews. */
export const Receipt = Type.Object({
  order_id: Id,
  paid_at: Time,
  /** The address that the receipt was sent to. */
  email: Type.String(),
  seller: Type.Object({
    name: Type.String(),
    address: nullable(Type.String()),
    tax_number: nullable(Type.String()),
  }),
  currency: Currency,
  amount_cents: Cents,
  refunded_cents: Cents,
  /** The part of the amount that bonus money paid. It is a discount, so it is not taxed. */
  discount_cents: Type.Optional(Cents),
  /** Net amount and tax of the money that was not refunded; `tax_percent` is the tax rate. */
  net_cents: Cents,
  tax_cents: Cents,
  tax_percent: Type.Number(),
  /** The next charge of the plan; null if nothing renews. */
  renewal: nullable(
    Type.Object({ at: Time, price_cents: Cents, currency: Currency, period_days: Type.Integer() }),
  ),
  /** The end of the withdrawal period; null if the customer cannot withdraw. */
  withdrawable_until: nullable(Time),
})
export type Receipt = Static<typeof Receipt>

export const getReceipt = endpoint({
  method: 'GET',
  path: '/api/payment/receipt',
  summary: 'Returns the receipt of a paid order: seller, tax, and how a plan renews',
  refuses: ['signInRequired', 'notFound'],
  query: Type.Object({ order_id: Id }),
  info: Receipt,
})

export const claimPurchase = endpoint({
  method: 'POST',
  path: '/api/payment/claim',
  summary:
    "Moves a guest's purchases into the account with the receipt's e-mail address (created if missing) and signs in. If that account has a verified address or a balance, its owner must already be signed in. If the guest has ever topped up a balance and the request comes from another browser, only the receipt's purchase is moved",
  refuses: ['linkExpired', 'signInRequired', 'alreadySignedIn', 'editConflict', 'claimFromOtherBrowser'],
  body: Type.Object({ secret: LinkSecret }),
  info: User,
})

/** For customers without a session: the e-mail address that the link is sent to, and the order number as typed. */
const linkRequestFields = { email: Type.Optional(FormText), order_id: Type.Optional(FormText) }

export const cancelByLink = endpoint({
  method: 'POST',
  path: '/api/payment/cancel-by-link',
  summary:
    'Cancels a plan with the secret of a mailed link; with an e-mail address, sends such a link. The answer is the same whether the address is known or not',
  refuses: ['linkExpired', 'emailInvalid'],
  body: Type.Object({ secret: Type.Optional(LinkSecret), ...linkRequestFields }),
  info: Type.Object({
    done: Type.Boolean(),
    /** The name of the plan, and when it ends. */
    plan: Type.Optional(Type.String()),
    ends_at: Type.Optional(Time),
  }),
})

export const withdraw = endpoint({
  method: 'POST',
  path: '/api/payment/withdraw',
  summary:
    'Withdraws from an order with the secret of a mailed link and refunds it; with an e-mail address, sends such a link. The answer is the same whether the address is known or not',
  refuses: ['linkExpired', 'emailInvalid'],
  body: Type.Object({ secret: Type.Optional(LinkSecret), ...linkRequestFields }),
  info: Type.Object({
    done: Type.Boolean(),
    /** The amount that is refunded. */
    amount_cents: Type.Optional(Cents),
    currency: Type.Optional(Currency),
  }),
})
