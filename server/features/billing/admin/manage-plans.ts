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

/** The terms of sale of a plan. */
export type PlanTerms = Pick<
  PlanRow,
  'names' | 'descriptions' | 'price_cents' | 'intro_price_cents' | 'period_days' | 'highlight' | 'position'
>

type Seller = Pick<BillingContext, 'gateways' | 'clock'>

/** Lists the plans on sale, then the retired ones. */
export async function listPlansForAdmin(db: Db): Promise<SoldPlan[]> {
  return (await selectAllPlans(db)).map(presentSold)
}

/** A plan that is on sale now, and the ids of the plans that lost the highlight to it. */
interface Sold {
  plan: SoldPlan
  dimmed: string[]
}

/**
 * Puts a plan on sale; a highlighted one takes the highlight from the others.
 * @throws Refusal introductionTooHigh; amountNotTaken where no gateway takes such an amount
 */
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
 * Changes a plan for new buyers only. Texts, position and introductory price change in place, because no subscriber depends on
 * them. A new price or length creates a new plan that replaces this one, so that existing subscribers keep the terms that they
 * agreed to.
 * @returns the plan that is on sale then, with its previous state
 * @throws Refusal notFound; movedOn where it was retired; introductionTooHigh, amountNotTaken as for a new plan
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

/** Takes a plan off sale. @throws Refusal notFound; movedOn where it is retired already */
export async function retirePlan({ clock }: Seller, tx: Tx, id: string): Promise<SoldPlan> {
  const row = await lockOnSale(tx, id)
  const retired_at = clock.now()
  await updatePlan(tx, id, { retired_at })
  return presentSold({ ...row, retired_at, subscribers: 0 })
}

/** Lists the subscribers of a plan, latest first. @throws Fault badCursor */
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
  // One gateway must take both amounts, because a renewal is charged where the first period was.
  const cents = intro === null ? [price_cents] : [intro, price_cents]
  if (gatewaysFor({ gateways }, { cents, currency }, 'plan').length === 0)
    throw new Refusal('amountNotTaken', { field: 'price_cents' })
}

/** Returns the texts as the database stores them; a text that is empty in a language falls back to English. */
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
