import { Type, type Static } from 'typebox'
import { VideoPrice } from './catalog.ts'
import { endpoint } from './endpoint.ts'
import { Entitlement } from './library.ts'
import { Membership } from './members.ts'
import { Cents, Currency, Id, Time, FormText, pageOf, nullable, stringEnum, pagingFields } from './schemas.ts'
import { BalanceOffer, PriceRefusal } from './top-ups.ts'

export const gatewayIds = ['sandbox', 'stripe', 'paypal'] as const
export type GatewayId = (typeof gatewayIds)[number]
/** The source of an order's payment: a gateway, or the customer's prepaid balance. */
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

/**
 * Decline codes that concern the card. `authentication_failed` and `authentication_required` are about 3-D Secure.
 * `token_already_used` (the card form timed out) is not included: it says nothing about the card.
 */
export const cardDeclineCodes = [
  'card_declined',
  'insufficient_funds',
  'card_expired',
  /** Lost or stolen: the card is not charged again. */
  'card_lost',
  'wrong_cvc',
  'authentication_failed',
  'authentication_required',
] as const

/** Decline codes of payments, the same for every gateway. */
export const declineCodes = [
  ...cardDeclineCodes,
  'wallet_declined',
  /** The gateway rejects the e-mail address. */
  'email_rejected',
  'token_already_used',
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

/** A payment method that customers can choose: a gateway with one kind of method (card or wallet). */
export const OfferedGateway = Type.Object({
  id: stringEnum(gatewayIds),
  kind: stringEnum(paymentMethods),
  public_key: Type.Optional(Type.String()),
  /** True if the method cannot pay for plans. */
  one_off_only: Type.Optional(Type.Boolean()),
  /** Purchases whose amount the gateway does not accept: `episode`, `video`, or the id of a plan or a top-up. */
  unsupported_products: Type.Optional(Type.Array(Type.String())),
})
export type OfferedGateway = Static<typeof OfferedGateway>

/** A card that the customer has saved for purchases. */
export const SavedPaymentMethod = Type.Object({
  id: Id,
  gateway: stringEnum(gatewayIds),
  brand: nullable(Type.String()),
  last4: nullable(Type.String()),
  expired: Type.Optional(Type.Boolean()),
  /** Only in offers. Purchases whose amount the gateway does not accept: `episode`, `video` or the id of a top-up. */
  unsupported_products: Type.Optional(Type.Array(Type.String())),
})
export type SavedPaymentMethod = Static<typeof SavedPaymentMethod>

/** The purchases that unlock an episode; the `info` of code 402. */
export const Offer = Type.Object({
  episode: Type.Object({
    id: Id,
    video_id: Id,
    number: Type.Integer(),
    title: Type.String(),
    thumb_url: nullable(Type.String()),
  }),
  price: VideoPrice,
  /**
   * The current numbers of all episodes and of those that can be played. A purchase of the video also unlocks episodes
   * that are added later.
   */
  video: Type.Object({ episode_count: Type.Integer(), ready_count: Type.Integer() }),
  plans: Type.Array(Plan),
  gateways: Type.Array(OfferedGateway),
  /** The saved card that can pay for the episode or the video in one request. */
  saved_method: Type.Optional(SavedPaymentMethod),
  /** The prepaid balance, if the site has balances enabled. */
  balance: Type.Optional(BalanceOffer),
})
export type Offer = Static<typeof Offer>

/** The part of an offer that the media feature knows. Billing adds the rest. */
export type LockedEpisode = Offer['episode'] & Pick<Offer, 'price' | 'video'>

/** The action that the browser must take next to complete a payment. */
export const NextStep = Type.Object({
  type: stringEnum(['card_form', 'redirect', 'authenticate', 'none']),
  url: Type.Optional(Type.String()),
  client_secret: Type.Optional(Type.String()),
})
export type NextStep = Static<typeof NextStep>

export const Order = Type.Object({
  id: Id,
  status: stringEnum(orderStatuses),
  kind: stringEnum(orderKinds),
  video_id: Type.Optional(Id),
  episode_id: Type.Optional(Id),
  /** The episode's number, for a link back to it. */
  episode_number: Type.Optional(Type.Integer()),
  plan_id: Type.Optional(Id),
  top_up_id: Type.Optional(Id),
  amount_cents: Cents,
  refunded_cents: Cents,
  /** For a top-up: the bonus that it adds to the balance. */
  bonus_cents: Type.Optional(Cents),
  /** For a purchase from the balance: the part of the amount that bonus money paid. */
  discount_cents: Type.Optional(Cents),
  /**
   * Set if auto-unlock created the order: the deadline for undoing it, and whether it can be undone (once per drama
   * within 24 hours).
   */
  auto_unlock: Type.Optional(Type.Object({ undo_until: Time, can_undo: Type.Boolean() })),
  currency: Currency,
  gateway: stringEnum(orderGatewayIds),
  created_at: Time,
  paid_at: Type.Optional(Time),
  expires_at: Time,
  /**
   * For a scheduled plan change: the time at which it takes effect and is charged; null if the subscription ends before
   * that time.
   */
  starts_at: Type.Optional(nullable(Time)),
  next: NextStep,
  /**
   * True while the gateway processes a payment, which may take days. Stays true if a renewal is abandoned before its
   * payment is final.
   */
  processing: Type.Optional(Type.Boolean()),
  /** Why a payment of this order is refunded automatically. */
  auto_refund: Type.Optional(Type.Object({ reason: Type.String(), message: Type.String() })),
  /** Why the last attempt failed, if the order can still be paid. */
  declined: Type.Optional(Type.Object({ reason: Type.String(), message: Type.String() })),
})
export type Order = Static<typeof Order>

export const listPlans = endpoint({
  method: 'GET',
  path: '/api/plan',
  summary: 'Lists the plans on sale and the payment methods',
  refuses: [],
  data: pageOf(Plan, { gateways: Type.Array(OfferedGateway) }),
})

export const unlockEpisode = endpoint({
  method: 'POST',
  path: '/api/video/unlock',
  summary: 'Returns the entitlement that covers an episode, or code 402 with the offer',
  refuses: [
    'signInRequired',
    'locked',
    'episodeNotReady',
    'notFound',
    'idempotencyKeyReused',
    'cardNumberInBody',
  ],
  body: Type.Object({ episode_id: Id }),
  info: Entitlement,
  /** 409 `episodeNotReady` includes the progress of the conversion; 409 `idempotencyKeyReused` has no progress. */
  refusalSchemas: {
    402: Offer,
    409: Type.Object({ progress: Type.Optional(Type.Integer({ minimum: 0, maximum: 100 })) }),
  },
  idempotent: true,
})

/** Refusals of a payment. */
const paymentRefusals = [
  'orderClosed',
  'alreadyOwned',
  'introPriceUsed',
  'gatewayNotOffered',
  'cardDeclined',
  'insufficientFunds',
  'cardExpired',
  'wrongCvc',
  'paymentTokenExpired',
  'bankAuthenticationFailed',
  'paymentFailed',
  'paymentCancelled',
  'paymentOutcomeUnknown',
] as const

export const createOrder = endpoint({
  method: 'POST',
  path: '/api/payment/order',
  summary:
    'Creates an order for an episode, a whole video, a top-up or a plan. For a subscriber, a plan order changes the plan or, while past due, pays the open period. With gateway `balance`, an episode or a video is paid in the same request',
  refuses: [
    'signInRequired',
    'notFound',
    'alreadySubscribed',
    'resumeLimitReached',
    'priceChanged',
    'emailInvalid',
    'savedMethodUnavailable',
    'balanceDisabled',
    'balanceTooLow',
    'idempotencyKeyReused',
    'cardNumberInBody',
    // This request already charges a saved card or starts a wallet payment, so it can be refused like a payment.
    ...paymentRefusals,
  ],
  body: Type.Object({
    kind: stringEnum(orderKinds),
    plan_id: Type.Optional(Id),
    /** The ordered episode or video; for a plan, the episode or video at whose paywall the customer chose it. */
    episode_id: Type.Optional(Id),
    video_id: Type.Optional(Id),
    top_up_id: Type.Optional(Id),
    /** `balance` pays for an episode or a video in the same request; plans and top-ups need another gateway. */
    gateway: stringEnum(orderGatewayIds),
    method: Type.Optional(stringEnum(paymentMethods)),
    /** Pays with the customer's saved card in the same request. */
    saved_method_id: Type.Optional(Id),
    /** Saves the card that pays for a one-off order; `terms_text` is the consent text that the customer accepted. */
    save_method: Type.Optional(Type.Object({ terms_text: Type.String({ maxLength: 4000 }) })),
    /**
     * The address for the order's e-mails. Optional in three cases. A subscriber's default is the address of the
     * current period's order. With a saved card, it is the address of the order that saved the card. With the balance,
     * it is the address of the latest top-up.
     */
    email: Type.Optional(FormText),
    /** The price that was shown to the customer. The order is refused if the price has changed. */
    amount_cents: Type.Optional(Cents),
    /** For a top-up, the bonus that was shown to the customer. The order is refused if the bonus has changed. */
    bonus_cents: Type.Optional(Cents),
    consent: Type.Optional(
      Type.Object({
        terms_text: Type.String({ maxLength: 4000 }),
        immediate_delivery: Type.Optional(Type.Boolean()),
      }),
    ),
  }),
  info: Order,
  /**
   * With `priceChanged`: the current price. With `balanceTooLow`: the price, and the available and the missing amount.
   */
  refusalSchemas: { 409: PriceRefusal },
  idempotent: true,
})

export const payOrder = endpoint({
  method: 'POST',
  path: '/api/payment/pay',
  summary: "Pays an order with the gateway's token for the card",
  refuses: [
    'signInRequired',
    'notFound',
    'nameInvalid',
    'savedMethodUnavailable',
    'idempotencyKeyReused',
    'cardNumberInBody',
    ...paymentRefusals,
  ],
  body: Type.Object({
    order_id: Id,
    payment_token: Type.Optional(Type.String({ maxLength: 255 })),
    /** The cardholder's name. Optional for express wallets, which send the name to the gateway themselves. */
    first_name: Type.Optional(FormText),
    last_name: Type.Optional(FormText),
  }),
  info: Order,
  idempotent: true,
})

export const cancelSubscription = endpoint({
  method: 'POST',
  path: '/api/payment/cancel',
  summary: 'Cancels the subscription at the end of the paid period',
  refuses: ['signInRequired', 'notSubscribed', 'idempotencyKeyReused', 'cardNumberInBody'],
  body: Type.Object({}),
  info: Membership,
  idempotent: true,
})

export const resumeSubscription = endpoint({
  method: 'POST',
  path: '/api/payment/resume',
  summary: 'Resumes a cancelled subscription within the paid period',
  refuses: [
    'signInRequired',
    'notSubscribed',
    'resumeLimitReached',
    'idempotencyKeyReused',
    'cardNumberInBody',
  ],
  body: Type.Object({}),
  info: Membership,
  idempotent: true,
})

export const PaymentMethodChange = Type.Object({
  id: Id,
  /** While `pending`, `next` has the next action of the browser. */
  status: stringEnum(['pending', 'saved']),
  gateway: stringEnum(gatewayIds),
  next: NextStep,
})
export type PaymentMethodChange = Static<typeof PaymentMethodChange>

export const changePaymentMethod = endpoint({
  method: 'POST',
  path: '/api/payment/method',
  summary:
    'Changes the payment method of the subscription without a payment; with setup_id, continues a change that required action by the customer, and returns its status',
  refuses: [
    'signInRequired',
    'notFound',
    'notSubscribed',
    'gatewayNotOffered',
    'nameInvalid',
    'emailInvalid',
    'cardDeclined',
    'insufficientFunds',
    'cardExpired',
    'wrongCvc',
    'paymentTokenExpired',
    'cardNotConfirmed',
    'methodNotSaved',
    'methodSetupCancelled',
    'methodSetupUnknown',
    'idempotencyKeyReused',
    'cardNumberInBody',
  ],
  body: Type.Object({
    setup_id: Type.Optional(Id),
    /** For a new change: the payment method. `payment_token` is the gateway's token for a card, as in a payment. */
    gateway: Type.Optional(stringEnum(gatewayIds)),
    method: Type.Optional(stringEnum(paymentMethods)),
    payment_token: Type.Optional(Type.String({ maxLength: 255 })),
    first_name: Type.Optional(FormText),
    last_name: Type.Optional(FormText),
  }),
  info: PaymentMethodChange,
  idempotent: true,
})

export const getSavedPaymentMethod = endpoint({
  method: 'GET',
  path: '/api/payment/method',
  summary: 'Returns the saved card for purchases, even if it has expired',
  refuses: ['signInRequired'],
  info: Type.Object({ saved_method: nullable(SavedPaymentMethod) }),
})

export const removeSavedPaymentMethod = endpoint({
  method: 'DELETE',
  path: '/api/payment/method',
  summary: 'Removes a saved card; also deletes it at its gateway, unless a subscription uses it',
  refuses: ['signInRequired'],
  body: Type.Object({ id: Id }),
  info: Type.Object({ saved_method: nullable(SavedPaymentMethod) }),
})

export const getOrders = endpoint({
  method: 'GET',
  path: '/api/payment',
  summary: "Returns the order `order_id`; without it, returns the user's orders and subscription",
  refuses: ['signInRequired', 'notFound'],
  query: Type.Object({ order_id: Type.Optional(Id), ...pagingFields }),
  info: Order,
  data: pageOf(Order, { subscription: Membership }),
})
