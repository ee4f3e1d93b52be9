import { Type, type Static } from 'typebox'
import { VideoPrice } from './catalog.ts'
import { endpoint } from './endpoint.ts'
import { Entitlement } from './library.ts'
import { Membership, Secret, User } from './members.ts'
import { Cents, Currency, Id, Time, Typed, listOf, nullable, oneOf, paging } from './shapes.ts'

export const gatewayIds = ['sandbox', 'stripe', 'paypal'] as const
export type GatewayId = (typeof gatewayIds)[number]
export const orderKinds = ['plan', 'episode', 'video'] as const
export const paymentMethods = ['card', 'wallet'] as const
export const orderStatuses = [
  'pending',
  'paid',
  'failed',
  'cancelled',
  'expired',
  'partially_refunded',
  'refunded',
  'charged_back',
] as const

/** What a card is refused for; a form that timed out says nothing of the card. */
export const cardRefusals = [
  'card_declined',
  'insufficient_funds',
  'card_expired',
  /** Lost or stolen: it is not tried again. */
  'card_lost',
  'wrong_cvc',
  'check_failed',
  'check_needed',
] as const

/** Why a payment did not go through, whatever the gateway. */
export const declineCodes = [
  ...cardRefusals,
  'wallet_declined',
  /** The gateway takes no such e-mail address. */
  'email_refused',
  'token_spent',
  'not_received',
  'cancelled',
  'other',
] as const

export const Plan = Type.Object({
  id: Id,
  name: Type.String(),
  description: Type.String(),
  price_cents: Cents,
  intro_price_cents: Type.Optional(Cents),
  currency: Currency,
  period_days: Type.Integer(),
  highlight: Type.Boolean(),
})
export type Plan = Static<typeof Plan>

/** One way to pay: one entry per gateway and kind. */
export const OfferedGateway = Type.Object({
  id: oneOf(gatewayIds),
  kind: oneOf(paymentMethods),
  public_key: Type.Optional(Type.String()),
  /** No plan can be bought with it. */
  one_off_only: Type.Optional(Type.Boolean()),
  /** What it takes no such amount for: `episode`, `video`, or the id of a plan. */
  not_for: Type.Optional(Type.Array(Type.String())),
})
export type OfferedGateway = Static<typeof OfferedGateway>

/** What a viewer may buy to see a locked episode; the `info` of code 402. */
export const Offer = Type.Object({
  episode: Type.Object({
    id: Id,
    video_id: Id,
    number: Type.Integer(),
    title: Type.String(),
    thumb_url: nullable(Type.String()),
  }),
  price: VideoPrice,
  /** What the whole video is at this moment: a running one is sold with those that follow. */
  video: Type.Object({ episode_count: Type.Integer(), ready_count: Type.Integer() }),
  plans: Type.Array(Plan),
  gateways: Type.Array(OfferedGateway),
})
export type Offer = Static<typeof Offer>

/** What an offer is made for: the locked episode, as whoever knows the episodes describes it. */
export type LockedEpisode = Offer['episode'] & Pick<Offer, 'price' | 'video'>

/** What the browser has to do next for an order to be paid. */
export const NextStep = Type.Object({
  type: oneOf(['card_form', 'redirect', 'authenticate', 'none']),
  url: Type.Optional(Type.String()),
  client_secret: Type.Optional(Type.String()),
})
export type NextStep = Static<typeof NextStep>

export const Order = Type.Object({
  id: Id,
  status: oneOf(orderStatuses),
  kind: oneOf(orderKinds),
  video_id: Type.Optional(Id),
  episode_id: Type.Optional(Id),
  /** Of the episode, for the way back to it. */
  episode_number: Type.Optional(Type.Integer()),
  plan_id: Type.Optional(Id),
  amount_cents: Cents,
  refunded_cents: Cents,
  currency: Currency,
  gateway: oneOf(gatewayIds),
  created_at: Time,
  paid_at: Type.Optional(Time),
  expires_at: Time,
  /** Of a change of plan that waits: when it begins and is charged; null where the subscription is cancelled by then. */
  starts_at: Type.Optional(nullable(Time)),
  next: NextStep,
  /** The gateway is working on a payment of it, which may take days. The order does not expire meanwhile. */
  processing: Type.Optional(Type.Boolean()),
  /** A payment for it buys nothing and goes back by itself: why, in words. */
  returned: Type.Optional(Type.Object({ reason: Type.String(), message: Type.String() })),
  /** Why the last try did not go through, where the order can still be paid. */
  declined: Type.Optional(Type.Object({ reason: Type.String(), message: Type.String() })),
})
export type Order = Static<typeof Order>

/** What is said of an order that was paid: who sold it, the tax in it, and how a plan goes on. */
export const Receipt = Type.Object({
  order_id: Id,
  paid_at: Time,
  /** Whom it was sent to. */
  email: Type.String(),
  seller: Type.Object({
    name: Type.String(),
    address: nullable(Type.String()),
    tax_number: nullable(Type.String()),
  }),
  currency: Currency,
  amount_cents: Cents,
  refunded_cents: Cents,
  /** What of the money that was kept is net, and what is tax, at a rate in percent. */
  net_cents: Cents,
  tax_cents: Cents,
  tax_percent: Type.Number(),
  /** When the plan is charged next and what for; null for what is not renewed. */
  renewal: nullable(
    Type.Object({ at: Time, price_cents: Cents, currency: Currency, period_days: Type.Integer() }),
  ),
  /** Until when the person may withdraw; null where they may not. */
  withdrawable_until: nullable(Time),
})
export type Receipt = Static<typeof Receipt>

export const listPlans = endpoint({
  method: 'GET',
  path: '/api/plan',
  summary: 'The plans on sale and the ways to pay',
  refuses: [],
  data: listOf(Plan, { gateways: Type.Array(OfferedGateway) }),
})

export const unlockEpisode = endpoint({
  method: 'POST',
  path: '/api/video/unlock',
  summary: 'The entitlement that covers an episode, or code 402 with what would',
  refuses: ['signInFirst', 'locked', 'beingMade', 'notFound', 'keyReused', 'cardNumberInBody'],
  body: Type.Object({ episode_id: Id }),
  info: Entitlement,
  /** 409 with the progress while the episode is being made, without for a key that was used otherwise. */
  refusals: {
    402: Offer,
    409: Type.Object({ progress: Type.Optional(Type.Integer({ minimum: 0, maximum: 100 })) }),
  },
  idempotent: true,
})

/** What may keep an order from being paid. */
const whyNotPaid = [
  'orderClosed',
  'alreadyOwned',
  'introductionUsed',
  'gatewayNotOffered',
  'cardDeclined',
  'insufficientFunds',
  'cardExpired',
  'wrongCvc',
  'tokenSpent',
  'checkFailed',
  'paymentFailed',
  'paymentCancelled',
  'paymentUnknown',
] as const

export const createOrder = endpoint({
  method: 'POST',
  path: '/api/payment/order',
  summary:
    'Makes an order for an episode, a whole video or a plan: while subscribed a change of plan, while past due the open period',
  refuses: [
    'signInFirst',
    'notFound',
    'subscribedAlready',
    'priceDiffers',
    'emailInvalid',
    'keyReused',
    'cardNumberInBody',
    // A wallet's payment is started with the order.
    ...whyNotPaid,
  ],
  body: Type.Object({
    kind: oneOf(orderKinds),
    plan_id: Type.Optional(Id),
    /** With a plan, these name the episode or video whose paywall offered it. */
    episode_id: Type.Optional(Id),
    video_id: Type.Optional(Id),
    gateway: oneOf(gatewayIds),
    method: Type.Optional(oneOf(paymentMethods)),
    /** While subscribed it may be left out, and is the one that the period which runs was bought with. */
    email: Type.Optional(Typed),
    /** What the person was shown. Where it costs something else, no order is made. */
    amount_cents: Type.Optional(Cents),
    consent: Type.Optional(
      Type.Object({
        shown: Type.String({ maxLength: 4000 }),
        immediate_delivery: Type.Optional(Type.Boolean()),
      }),
    ),
  }),
  info: Order,
  /** What it costs, where that is not what was shown. */
  refusals: {
    409: Type.Object({ amount_cents: Type.Optional(Cents), currency: Type.Optional(Currency) }),
  },
  idempotent: true,
})

export const payOrder = endpoint({
  method: 'POST',
  path: '/api/payment/pay',
  summary: 'Pays an order with the token that the gateway gave the browser for the card',
  refuses: ['signInFirst', 'notFound', 'nameInvalid', 'keyReused', 'cardNumberInBody', ...whyNotPaid],
  body: Type.Object({
    order_id: Id,
    payment_token: Type.Optional(Type.String({ maxLength: 255 })),
    first_name: Typed,
    last_name: Typed,
  }),
  info: Order,
  idempotent: true,
})

export const cancelSubscription = endpoint({
  method: 'POST',
  path: '/api/payment/cancel',
  summary: 'Ends the renewals: the subscription stays until the paid period is over',
  refuses: ['signInFirst', 'notSubscribed', 'keyReused', 'cardNumberInBody'],
  body: Type.Object({}),
  info: Membership,
  idempotent: true,
})

export const resumeSubscription = endpoint({
  method: 'POST',
  path: '/api/payment/resume',
  summary: 'Takes a cancellation back while the paid period lasts: the subscription renews again',
  refuses: ['signInFirst', 'notSubscribed', 'keyReused', 'cardNumberInBody'],
  body: Type.Object({}),
  info: Membership,
  idempotent: true,
})

export const MethodChange = Type.Object({
  id: Id,
  /** While `pending`, `next` says what the browser has to do. */
  status: oneOf(['pending', 'saved']),
  gateway: oneOf(gatewayIds),
  next: NextStep,
})
export type MethodChange = Static<typeof MethodChange>

export const changeMethod = endpoint({
  method: 'POST',
  path: '/api/payment/method',
  summary:
    'Has the subscription charged with another card or wallet from its next renewal on, without a payment; with change_id, goes on with a change that waited for the person, and says how it stands',
  refuses: [
    'signInFirst',
    'notFound',
    'notSubscribed',
    'gatewayNotOffered',
    'nameInvalid',
    'cardDeclined',
    'insufficientFunds',
    'cardExpired',
    'wrongCvc',
    'tokenSpent',
    'cardNotConfirmed',
    'methodNotKept',
    'methodCalledOff',
    'methodUnknown',
    'keyReused',
    'cardNumberInBody',
  ],
  body: Type.Object({
    change_id: Type.Optional(Id),
    /** Of a new change; a card's token as for a payment. */
    gateway: Type.Optional(oneOf(gatewayIds)),
    method: Type.Optional(oneOf(paymentMethods)),
    payment_token: Type.Optional(Type.String({ maxLength: 255 })),
    first_name: Type.Optional(Typed),
    last_name: Type.Optional(Typed),
  }),
  info: MethodChange,
  idempotent: true,
})

export const getPayment = endpoint({
  method: 'GET',
  path: '/api/payment',
  summary: "With order_id that order; without, the person's orders and subscription",
  refuses: ['signInFirst', 'notFound'],
  query: Type.Object({ order_id: Type.Optional(Id), ...paging }),
  info: Order,
  data: listOf(Order, { subscription: Membership }),
})

export const getReceipt = endpoint({
  method: 'GET',
  path: '/api/payment/receipt',
  summary: 'The receipt of an order that was paid: the seller, the tax in it, and how a plan goes on',
  refuses: ['signInFirst', 'notFound'],
  query: Type.Object({ order_id: Id }),
  info: Receipt,
})

export const claimPurchase = endpoint({
  method: 'POST',
  path: '/api/payment/claim',
  summary:
    "Takes all that a guest has bought into the account of a receipt's address, and signs in: where there is none it is made; one whose address is proven takes it only from whoever is signed in to it",
  refuses: ['linkSpent', 'signInFirst', 'signedInAlready', 'movedOn'],
  body: Type.Object({ claim: Secret }),
  info: User,
})

/** Who has no session: the mailed secret, or the address (and the order's number, as typed) that a link is to be mailed to. */
const byLink = { email: Type.Optional(Typed), order_id: Type.Optional(Typed) }

export const cancelByLink = endpoint({
  method: 'POST',
  path: '/api/payment/cancel-by-link',
  summary:
    "Ends the renewals of a plan with a mailed link's secret; with an e-mail, sends such a link, and the answer is the same whether the address is known or not",
  refuses: ['linkSpent', 'emailInvalid'],
  body: Type.Object({ cancel: Type.Optional(Secret), ...byLink }),
  info: Type.Object({
    done: Type.Boolean(),
    /** Which plan, and until when it stays. */
    plan: Type.Optional(Type.String()),
    ends_at: Type.Optional(Time),
  }),
})

export const withdraw = endpoint({
  method: 'POST',
  path: '/api/payment/withdraw',
  summary:
    "Withdraws from the contract of an order with a mailed link's secret: all of the money goes back; with an e-mail, sends such a link, and the answer is the same whether the address is known or not",
  refuses: ['linkSpent', 'emailInvalid'],
  body: Type.Object({ withdraw: Type.Optional(Secret), ...byLink }),
  info: Type.Object({
    done: Type.Boolean(),
    /** What goes back. */
    amount_cents: Type.Optional(Cents),
    currency: Type.Optional(Currency),
  }),
})
