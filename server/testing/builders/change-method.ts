import { changeMethod, type MethodChange } from '#contract/billing.ts'
import type { BodyOf } from '#contract/endpoint.ts'
import { getUser } from '#contract/members.ts'
import type { Shopper } from './shopper.ts'
import type { Envelope } from '#server/testing/site/visitor.ts'

type MethodChangeParams = BodyOf<typeof changeMethod>

/** Changes the payment method; the first call of a change includes a name. */
export function change(
  { visitor }: Shopper,
  params: MethodChangeParams,
  headers: Record<string, string> = {},
): Promise<Envelope<MethodChange>> {
  const names = params.change_id === undefined ? { first_name: 'Ada', last_name: 'Lovelace' } : {}
  return visitor.call(changeMethod, { body: { ...names, ...params }, headers }).then(({ answer }) => answer)
}

export const membershipOf = async ({ visitor }: Shopper) => (await visitor.ask(getUser)).membership
