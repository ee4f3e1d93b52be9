import { changeMethod, type MethodChange } from '#contract/billing.ts'
import type { BodyOf } from '#contract/endpoint.ts'
import { getUser } from '#contract/members.ts'
import type { Shopper } from './shopper.ts'
import type { Envelope } from './visitor.ts'

type Wish = BodyOf<typeof changeMethod>

/** Wishes to be charged another way; a first wish comes with a name. */
export function change(
  { visitor }: Shopper,
  wish: Wish,
  headers: Record<string, string> = {},
): Promise<Envelope<MethodChange>> {
  const names = wish.change_id === undefined ? { first_name: 'Ada', last_name: 'Lovelace' } : {}
  return visitor.call(changeMethod, { body: { ...names, ...wish }, headers }).then(({ answer }) => answer)
}

export const membershipOf = async ({ visitor }: Shopper) => (await visitor.ask(getUser)).membership
