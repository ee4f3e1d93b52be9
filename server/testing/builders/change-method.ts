import { changePaymentMethod, type PaymentMethodChange } from '#contract/billing.ts'
import type { BodyOf } from '#contract/endpoint.ts'
import { getUser } from '#contract/members.ts'
import type { Shopper } from './shopper.ts'
import type { Envelope } from '#server/testing/site/visitor.ts'

type MethodChangeParams = BodyOf<typeof changePaymentMethod>

/** Changes the payment method. The first call of a change must include a name. */
export function tryChangeMethod(
  { visitor }: Shopper,
  params: MethodChangeParams,
  headers: Record<string, string> = {},
): Promise<Envelope<PaymentMethodChange>> {
  const names = params.setup_id === undefined ? { first_name: 'Ada', last_name: 'Lovelace' } : {}
  return visitor
    .call(changePaymentMethod, { body: { ...names, ...params }, headers })
    .then(({ answer }) => answer)
}

export const membershipOf = async ({ visitor }: Shopper) => (await visitor.callOk(getUser)).membership
