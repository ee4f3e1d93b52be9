import type { Insertable } from 'kysely'
import { Refusal } from '#contract/errors.ts'
import type { Texts } from '#contract/languages.ts'
import type { PlanMember, SoldPlan } from '#contract/studio/plans.ts'
import { newId } from '#server/platform/ids.ts'
import { readPage, type Paging } from '#server/platform/read-page.ts'
import type { Db, Tx } from '#server/tables.ts'
import type { BillingContext } from '#server/features/billing/billing-context.ts'
import { gatewaysFor } from '#server/features/billing/gateways/gateways.ts'
import type { Look, Page } from './list-all-orders.ts'
import type { PlanRow } from '#server/features/billing/records/offer-queries.ts'
import {
  clearOtherHighlights,
  insertPlan,
  lockPlan,
  lockSale,
  selectAllPlans,
  selectPlanMembers,
  updatePlan,
  type CountedPlanRow,
} from './plan-queries.ts'
import type { PlansTable } from '#server/features/billing/tables.ts'

/** What a plan is sold as. */
export type PlanTerms = Pick<
  PlanRow,
  'names' | 'descriptions' | 'price_cents' | 'intro_price_cents' | 'period_days' | 'highlight' | 'position'
>

type Seller = Pick<BillingContext, 'gateways' | 'clock'>

/** The plans on sale, then those that were retired. */
export async function listPlansForAdmin(db: Db): Promise<SoldPlan[]> {
  return (await selectAllPlans(db)).map(presentSold)
}

/** A plan that is on sale now, and the plans that it took the highlight from. */
interface Sold {
  plan: SoldPlan
  dimmed: string[]
}

/** Puts a plan on sale; one that is highlighted takes that from the others. @throws Refusal introductionTooHigh, amountNotTaken where no gateway takes such an amount */
export async function addPlan(
  { gateways }: Seller,
  tx: Tx,
  terms: PlanTerms & { currency: string },
): Promise<Sold> {
  check({ gateways }, terms)
  await lockSale(tx)
  const plan = { id: newId('plan'), ...terms, ...withTexts(terms) }
  const dimmed = terms.highlight ? await clearOtherHighlights(tx, plan.id) : []
  await insertPlan(tx, plan)
  return { plan: presentSold({ ...terms, id: plan.id, retired_at: null, subscribers: 0 }), dimmed }
}

/**
 * Changes a plan for new buyers only. Words, place and introductory price are nobody's yet and change as they are; a plan of
 * another price or length is another plan, which takes this one's place, so that whoever is on this one keeps what they
 * agreed to for as long as they stay.
 * @returns the plan that is on sale then, with how the plan was before
 * @throws Refusal notFound; movedOn where it was retired; introductionTooHigh, amountNotTaken as with a new one
 */
export async function changePlanTerms(
  context: Seller,
  tx: Tx,
  id: string,
  change: Partial<PlanTerms>,
): Promise<Sold & { before: SoldPlan }> {
  await lockSale(tx)
  const row = await lockOnSale(tx, id)
  const { id: _id, retired_at: _onSale, ...asItIs } = row
  const terms = { ...asItIs, ...change }
  check(context, terms)
  const before = presentSold({ ...row, subscribers: 0 })
  if (terms.price_cents === row.price_cents && terms.period_days === row.period_days) {
    const dimmed = terms.highlight ? await clearOtherHighlights(tx, id) : []
    await updatePlan(tx, id, { ...change, ...withTexts(change) })
    return { plan: presentSold({ ...row, ...change, subscribers: 0 }), dimmed, before }
  }
  await updatePlan(tx, id, { retired_at: context.clock.now() })
  return { ...(await addPlan(context, tx, terms)), before }
}

/** Takes a plan off sale. @throws Refusal notFound; movedOn where it was retired before */
export async function retirePlan({ clock }: Seller, tx: Tx, id: string): Promise<SoldPlan> {
  const row = await lockOnSale(tx, id)
  const retired_at = clock.now()
  await updatePlan(tx, id, { retired_at })
  return presentSold({ ...row, retired_at, subscribers: 0 })
}

/** Who is on a plan, the latest first. @throws Fault badCursor */
export async function listPlanMembers(
  db: Db,
  planId: string,
  paging: Paging,
  { seesPeople }: Look,
): Promise<Page<PlanMember>> {
  const { page, next_cursor } = await readPage(
    `members of ${planId}`,
    paging,
    (after, limit) => selectPlanMembers(db, planId, after, limit),
    ({ created_at, id }) => [created_at, id],
  )
  const list = page.map(({ id, created_at, period_ends_at, status, email, order_email, ...row }) => ({
    ...row,
    subscription_id: id,
    email: seesPeople ? email : null,
    order_email: seesPeople ? order_email : null,
    status: status === 'past_due' ? ('past_due' as const) : ('active' as const),
    since: created_at.toISOString(),
    period_ends_at: period_ends_at?.toISOString() ?? null,
  }))
  return { list, next_cursor }
}

async function lockOnSale(tx: Tx, id: string): Promise<PlanRow> {
  const row = await lockPlan(tx, id)
  if (!row) throw new Refusal('notFound')
  if (row.retired_at !== null) throw new Refusal('movedOn')
  return row
}

type Priced = Pick<PlanRow, 'price_cents' | 'intro_price_cents' | 'currency'>

function check(
  { gateways }: Pick<Seller, 'gateways'>,
  { price_cents, intro_price_cents: intro, currency }: Priced,
): void {
  if (intro !== null && intro >= price_cents)
    throw new Refusal('introductionTooHigh', { field: 'intro_price_cents' })
  // One gateway must take both, as a renewal is charged where the first period was.
  const cents = intro === null ? [price_cents] : [intro, price_cents]
  if (gatewaysFor({ gateways }, { cents, currency }, 'plan').length === 0)
    throw new Refusal('amountNotTaken', { field: 'price_cents' })
}

/** As the database takes them; a text that is empty in a language is left to English. */
function withTexts({ names, descriptions }: Partial<PlanTerms>) {
  return {
    ...(names ? { names: JSON.stringify(filled(names)) } : {}),
    ...(descriptions ? { descriptions: JSON.stringify(filled(descriptions)) } : {}),
  } as Pick<Insertable<PlansTable>, 'names' | 'descriptions'>
}

const filled = (texts: Texts) => Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== ''))

function presentSold({ retired_at, ...row }: CountedPlanRow): SoldPlan {
  return { ...row, retired_at: retired_at?.toISOString() ?? null }
}
