import { Type, type Static } from 'typebox'
import { gatewayIds, NextStep, paymentMethods, SavedMethod } from './billing.ts'
import { endpoint } from './endpoint.ts'
import { Id, Typed, nullable, oneOf } from './shapes.ts'

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
