import { Type, type Static } from 'typebox'
import { VideoPrice } from './catalog.ts'
import { endpoint } from './endpoint.ts'
import { Entitlement } from './library.ts'
import { Membership } from './members.ts'
import { Cents, Currency, Id, Time, Typed, listOf, nullable, oneOf, paging } from './shapes.ts'
import { BalanceOffer, PriceRefusal } from './top-ups.ts'

export const gatewayIds = ['sandbox', 'stripe', 'paypal'] as const
export type GatewayId = (typeof gatewayIds)[number]
/** What an order is paid by: a gateway, or the person's prepaid balance. */
export const orderGatewayIds = [...gatewayIds, 'balance'] as const
export type OrderGatewayId = (typeof orderGatewayIds)[number]
export const orderKinds = ['plan', 'episode', 'video', 'top_up'] as const
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

/** Why a card is refused. A card form that timed out is not among them, because it says nothing about the card. */
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
  /** What it cannot be used for, because of the amount: `episode`, `video`, or the id of a plan or a top-up. */
  not_for: Type.Optional(Type.Array(Type.String())),
})
export type OfferedGateway = Static<typeof OfferedGateway>

/** A card that a person has saved for what they buy. */
export const SavedMethod = Type.Object({
  id: Id,
  gateway: oneOf(gatewayIds),
  brand: nullable(Type.String()),
  last4: nullable(Type.String()),
  expired: Type.Optional(Type.Boolean()),
  /** In an offer: what it cannot be used for, because of the amount: `episode`, `video` or the id of a top-up. */
  not_for: Type.Optional(Type.Array(Type.String())),
})
export type SavedMethod = Static<typeof SavedMethod>

/** What a viewer can buy to unlock an episode; the `info` of code 402. */
export const Offer = Type.Object({
  episode: Type.Object({
    id: Id,
    video_id: Id,
    number: Type.Integer(),
    title: Type.String(),
    thumb_url: nullable(Type.String()),
  }),
  price: VideoPrice,
  /** The episodes of the video today. The purchase of a video includes the episodes that are added later. */
  video: Type.Object({ episode_count: Type.Integer(), ready_count: Type.Integer() }),
  plans: Type.Array(Plan),
  gateways: Type.Array(OfferedGateway),
  /** The card that pays for the episode or the video in one call. */
  saved_method: Type.Optional(SavedMethod),
  /** The prepaid balance, where the site has balances. */
  balance: Type.Optional(BalanceOffer),
})
export type Offer = Static<typeof Offer>

/** The locked episode that an offer is made for, as the media feature describes it. */
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
  /** The episode's number, for a link back to it. */
  episode_number: Type.Optional(Type.Integer()),
  plan_id: Type.Optional(Id),
  top_up_id: Type.Optional(Id),
  amount_cents: Cents,
  refunded_cents: Cents,
  /** Of a top-up: the bonus that it adds to the balance. */
  bonus_cents: Type.Optional(Cents),
  /** Of a purchase from the balance: what bonus money paid of the amount. */
  discount_cents: Type.Optional(Cents),
  /** Auto-unlock ordered it; until when it can be taken back, and whether it still can: once per drama within 24 hours. */
  automatic: Type.Optional(Type.Object({ undo_until: Time, can_undo: Type.Boolean() })),
  currency: Currency,
  gateway: oneOf(orderGatewayIds),
  created_at: Time,
  paid_at: Type.Optional(Time),
  expires_at: Time,
  /** For a scheduled change of plan: when it starts and is charged; null if the subscription is cancelled by then. */
  starts_at: Type.Optional(nullable(Time)),
  next: NextStep,
  /** The gateway is still processing a payment, which may take days; also set if the renewal has been abandoned since. */
  processing: Type.Optional(Type.Boolean()),
  /** Why a payment of this order is refunded automatically. */
  returned: Type.Optional(Type.Object({ reason: Type.String(), message: Type.String() })),
  /** Why the last attempt failed, if the order can still be paid. */
  declined: Type.Optional(Type.Object({ reason: Type.String(), message: Type.String() })),
})
export type Order = Static<typeof Order>

export const listPlans = endpoint({
  method: 'GET',
  path: '/api/plan',
  summary: 'Lists the plans on sale and the payment methods',
  refuses: [],
  data: listOf(Plan, { gateways: Type.Array(OfferedGateway) }),
})

export const unlockEpisode = endpoint({
  method: 'POST',
  path: '/api/video/unlock',
  summary: 'Returns the entitlement that covers an episode, or code 402 with the offer',
  refuses: ['signInFirst', 'locked', 'beingMade', 'notFound', 'keyReused', 'cardNumberInBody'],
  body: Type.Object({ episode_id: Id }),
  info: Entitlement,
  /** 409 has the progress while the episode is being converted, and none if the key was used for another request. */
  refusals: {
    402: Offer,
    409: Type.Object({ progress: Type.Optional(Type.Integer({ minimum: 0, maximum: 100 })) }),
  },
  idempotent: true,
})

/** Why an order may not be paid. */
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
    'Makes an order for an episode, a whole video, a top-up or a plan: while subscribed a change of plan, while past due the open period; with gateway `balance` an episode or a video is paid in the same call',
  refuses: [
    'signInFirst',
    'notFound',
    'subscribedAlready',
    'resumedTooOften',
    'priceDiffers',
    'emailInvalid',
    'savedMethodGone',
    'balanceOff',
    'balanceTooLow',
    'keyReused',
    'cardNumberInBody',
    // The same call starts a wallet's payment, and charges a saved method.
    ...whyNotPaid,
  ],
  body: Type.Object({
    kind: oneOf(orderKinds),
    plan_id: Type.Optional(Id),
    /** With a plan, these name the episode or video whose paywall offered it. */
    episode_id: Type.Optional(Id),
    video_id: Type.Optional(Id),
    top_up_id: Type.Optional(Id),
    /** `balance` pays an episode or a video from the balance in the same call; a plan or a top-up needs another. */
    gateway: oneOf(orderGatewayIds),
    method: Type.Optional(oneOf(paymentMethods)),
    /** Pays with the card that the person has saved, in the same call. */
    saved_method_id: Type.Optional(Id),
    /** Saves the card that a one-off order is paid with; the words are those that the person agreed to. */
    save_method: Type.Optional(Type.Object({ shown: Type.String({ maxLength: 4000 }) })),
    /**
     * Optional while subscribed (default: the address of the current period's order), with a saved card (default: the address
     * of the order it was saved with) and with the balance (default: the address of the latest top-up).
     */
    email: Type.Optional(Typed),
    /** The price that the person was shown. The order is refused if the price is another. */
    amount_cents: Type.Optional(Cents),
    /** With a top-up, the bonus that the person was shown; another one is refused in the same way. */
    bonus_cents: Type.Optional(Cents),
    consent: Type.Optional(
      Type.Object({
        shown: Type.String({ maxLength: 4000 }),
        immediate_delivery: Type.Optional(Type.Boolean()),
      }),
    ),
  }),
  info: Order,
  /** The price, if it differs from the one that was shown, and what is missing of it in the balance. */
  refusals: { 409: PriceRefusal },
  idempotent: true,
})

export const payOrder = endpoint({
  method: 'POST',
  path: '/api/payment/pay',
  summary: 'Pays an order with the token that the gateway gave the browser for the card',
  refuses: [
    'signInFirst',
    'notFound',
    'nameInvalid',
    'savedMethodGone',
    'keyReused',
    'cardNumberInBody',
    ...whyNotPaid,
  ],
  body: Type.Object({
    order_id: Id,
    payment_token: Type.Optional(Type.String({ maxLength: 255 })),
    /** The name of the card's holder; an express wallet gives it to the gateway itself. */
    first_name: Type.Optional(Typed),
    last_name: Type.Optional(Typed),
  }),
  info: Order,
  idempotent: true,
})

export const cancelSubscription = endpoint({
  method: 'POST',
  path: '/api/payment/cancel',
  summary: 'Cancels the subscription at the end of the paid period',
  refuses: ['signInFirst', 'notSubscribed', 'keyReused', 'cardNumberInBody'],
  body: Type.Object({}),
  info: Membership,
  idempotent: true,
})

export const resumeSubscription = endpoint({
  method: 'POST',
  path: '/api/payment/resume',
  summary: 'Resumes a cancelled subscription within the paid period',
  refuses: ['signInFirst', 'notSubscribed', 'resumedTooOften', 'keyReused', 'cardNumberInBody'],
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
    'Changes the payment method of the subscription without a payment; with change_id, continues a change that waited for the person, and returns its status',
  refuses: [
    'signInFirst',
    'notFound',
    'notSubscribed',
    'gatewayNotOffered',
    'nameInvalid',
    'emailInvalid',
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
    /** For a new change; the token of a card is the same as for a payment. */
    gateway: Type.Optional(oneOf(gatewayIds)),
    method: Type.Optional(oneOf(paymentMethods)),
    payment_token: Type.Optional(Type.String({ maxLength: 255 })),
    first_name: Type.Optional(Typed),
    last_name: Type.Optional(Typed),
  }),
  info: MethodChange,
  idempotent: true,
})

export const getSavedMethod = endpoint({
  method: 'GET',
  path: '/api/payment/method',
  summary: 'Returns the saved card for purchases, also an expired one',
  refuses: ['signInFirst'],
  info: Type.Object({ saved_method: nullable(SavedMethod) }),
})

export const removeSavedMethod = endpoint({
  method: 'DELETE',
  path: '/api/payment/method',
  summary: 'Removes a saved card: it pays for nothing more, and its gateway deletes it unless a plan uses it',
  refuses: ['signInFirst'],
  body: Type.Object({ id: Id }),
  info: Type.Object({ saved_method: nullable(SavedMethod) }),
})

export const getPayment = endpoint({
  method: 'GET',
  path: '/api/payment',
  summary: "Returns the order with order_id, else the person's orders and subscription",
  refuses: ['signInFirst', 'notFound'],
  query: Type.Object({ order_id: Type.Optional(Id), ...paging }),
  info: Order,
  data: listOf(Order, { subscription: Membership }),
})
