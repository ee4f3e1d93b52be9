/**
 * The closed list of refusals with their envelope codes. A refusal with code 500 is shown to the user; the screen
 * handles the others itself. Each name is also the key of its message in `server/i18n`.
 */
export const refusals = {
  signInRequired: 401,
  locked: 402,
  notOwner: 403,
  notFound: 404,
  editConflict: 409,
  episodeNotReady: 409,
  idempotencyKeyReused: 409,
  alreadyOwned: 409,
  alreadySubscribed: 409,
  notSubscribed: 409,
  orderClosed: 409,
  priceChanged: 409,
  notRefundable: 409,
  orderDisputed: 409,
  refundInProgress: 409,
  refundOverOrderLimit: 403,
  refundOverDailyLimit: 403,
  introPriceUsed: 409,
  balanceDisabled: 409,
  balanceTooLow: 409,
  balanceNotEmpty: 409,
  balanceRefundPending: 409,
  claimFromOtherBrowser: 409,
  autoUnlockDisabled: 409,
  autoUnlockLimitReached: 409,
  undoTooLate: 409,
  undoUsed: 409,
  refundReasonRequired: 500,
  notAllowed: 403,
  lastOwner: 409,
  usedOnHomepage: 409,
  noEpisodes: 409,
  experimentRunning: 409,
  settingInvalid: 500,
  siteTextInvalid: 500,
  iconInvalid: 500,
  limitOutOfBounds: 500,
  variantsInvalid: 500,
  secondFactorRequired: 401,
  alreadySignedIn: 409,
  emailInvalid: 500,
  emailTaken: 500,
  operatorExists: 500,
  endBeforeStart: 500,
  amountNotSupported: 500,
  passwordTooShort: 500,
  passwordTooLong: 500,
  passwordCommon: 500,
  passwordsDiffer: 500,
  passwordWrong: 500,
  signInWrong: 500,
  codeWrong: 500,
  linkExpired: 500,
  socialFailed: 500,
  lastSignInMethod: 500,
  nameInvalid: 500,
  messageInvalid: 500,
  titleRequired: 500,
  textTooLong: 500,
  priceInvalid: 500,
  labelInvalid: 500,
  labelTaken: 500,
  timeInPast: 500,
  imageUnreadable: 500,
  languageUnknown: 500,
  cardNumberInBody: 500,
  cardNumberInMessage: 500,
  gatewayNotOffered: 500,
  cardDeclined: 500,
  insufficientFunds: 500,
  cardExpired: 500,
  wrongCvc: 500,
  paymentTokenExpired: 500,
  bankAuthenticationFailed: 500,
  cardNotConfirmed: 500,
  methodNotSaved: 500,
  methodSetupCancelled: 500,
  methodSetupUnknown: 500,
  resumeLimitReached: 500,
  deliveryConsentRequired: 500,
  savedMethodUnavailable: 500,
  paymentFailed: 500,
  paymentCancelled: 500,
  paymentOutcomeUnknown: 500,
  introPriceTooHigh: 500,
  refundTooLarge: 500,
  refundHasDecimals: 500,
  refundDeclined: 500,
} as const satisfies Record<string, number>

export type RefusalName = keyof typeof refusals

/** Errors of requests that are invalid or cannot be served. The number is the HTTP status and the envelope's code. */
export const faults = {
  badRequest: 400,
  invalidCursor: 400,
  crossOrigin: 403,
  unknownEndpoint: 404,
  requestTimeout: 408,
  requestTooLarge: 413,
  unsupportedMedia: 415,
  tooManyRequests: 429,
  headersTooLarge: 431,
  internalError: 500,
  unavailable: 503,
} as const satisfies Record<string, number>

export type FaultName = keyof typeof faults

/** A refusal by a business rule: HTTP 200 with its own code, and `info` with the data that the screen needs. */
export class Refusal extends Error {
  readonly reason: RefusalName
  readonly info: Record<string, unknown>

  constructor(reason: RefusalName, info: Record<string, unknown> = {}) {
    super(reason)
    this.name = 'Refusal'
    this.reason = reason
    this.info = info
  }
}

/** A request that is invalid or cannot be served: an HTTP status, with the same code in the envelope. */
export class Fault extends Error {
  readonly reason: FaultName
  readonly detail: string | undefined
  /** Seconds to wait before the next attempt, for `tooManyRequests` and `unavailable`. */
  readonly retryAfter: number | undefined

  constructor(reason: FaultName, detail?: string, retryAfter?: number) {
    super(detail ?? reason)
    this.name = 'Fault'
    this.reason = reason
    this.detail = detail
    this.retryAfter = retryAfter
  }
}
