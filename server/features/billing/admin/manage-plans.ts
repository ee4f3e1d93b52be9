import type { Insertable } from 'kysely'
import { Refusal } from '#contract/errors.ts'
import type { LocalizedText } from '#contract/languages.ts'
import type { PlanSubscriber, StudioPlan } from '#contract/studio/plans.ts'
import { newId } from '#server/platform/ids.ts'
import { readPage, type Paging } from '#server/platform/read-page.ts'
import type { Db, Tx } from '#server/tables.ts'
import type { BillingContext } from '#server/features/billing/billing-context.ts'
import { gatewaysFor } from '#server/features/billing/gateways/gateways.ts'
import type { OrderViewOptions, Page } from './list-all-orders.ts'
import type { PlanRow } from '#server/features/billing/records/product-queries.ts'
import {
  clearOtherHighlights,
  insertPlan,
  lockPlan,
  lockPlanChanges,
  selectAllPlans,
  selectPlanSubscribers,
  updatePlan,
  type PlanRowWithSubscribers,
} from './plan-queries.ts'
import type { PlansTable } from '#server/features/billing/tables.ts'

/** The terms of sale of a plan. */
export type PlanTerms = Pick<
  PlanRow,
  'names' | 'descriptions' | 'price_cents' | 'intro_price_cents' | 'period_days' | 'highlight' | 'position'
>

type PlanContext = Pick<BillingContext, 'gateways' | 'clock'>

/** Lists the plans on sale, then the archived ones. */
export async function listPlansForAdmin(db: Db): Promise<StudioPlan[]> {
  return (await selectAllPlans(db)).map(presentPlan)
}

/** The plan on sale after a change, and the ids of the plans that are no longer highlighted because of it. */
interface PlanChange {
  plan: StudioPlan
  unhighlightedPlanIds: string[]
}

/**
 * Puts a plan on sale. If it is highlighted, removes the highlight from the other plans.
 * @throws Refusal introPriceTooHigh; amountNotSupported if no gateway accepts such an amount
 */
export async function addPlan(
  { gateways }: PlanContext,
  tx: Tx,
  terms: PlanTerms & { currency: string },
): Promise<PlanChange> {
  checkPrices({ gateways }, terms)
  await lockPlanChanges(tx)
  const plan = { id: newId('plan'), ...terms, ...serializeTexts(terms) }
  const unhighlightedPlanIds = terms.highlight ? await clearOtherHighlights(tx, plan.id) : []
  await insertPlan(tx, plan)
  return {
    plan: presentPlan({ ...terms, id: plan.id, archived_at: null, subscribers: 0 }),
    unhighlightedPlanIds,
  }
}

/**
 * Changes a plan. Texts, highlight, position and introductory price change in place, because they do not affect what a
 * subscriber pays. A new price or length creates a new plan that replaces this one, so that subscribers keep the terms
 * that they agreed to.
 * @returns the plan on sale after the change, and the state of the edited plan before it
 * @throws Refusal notFound; editConflict if the plan is archived; introPriceTooHigh, amountNotSupported as in `addPlan`
 */
export async function changePlanTerms(
  context: PlanContext,
  tx: Tx,
  id: string,
  change: Partial<PlanTerms>,
): Promise<PlanChange & { before: StudioPlan }> {
  await lockPlanChanges(tx)
  const row = await lockActivePlan(tx, id)
  const { id: _id, archived_at: _archivedAt, subscribers: _subscribers, ...currentTerms } = row
  const terms = { ...currentTerms, ...change }
  checkPrices(context, terms)
  const before = presentPlan(row)
  if (terms.price_cents === row.price_cents && terms.period_days === row.period_days) {
    const unhighlightedPlanIds = terms.highlight ? await clearOtherHighlights(tx, id) : []
    await updatePlan(tx, id, { ...change, ...serializeTexts(change) })
    return { plan: presentPlan({ ...row, ...change }), unhighlightedPlanIds, before }
  }
  await updatePlan(tx, id, { archived_at: context.clock.now() })
  return { ...(await addPlan(context, tx, terms)), before }
}

/** Takes a plan off sale. @throws Refusal notFound; editConflict if the plan is already archived */
export async function archivePlan({ clock }: PlanContext, tx: Tx, id: string): Promise<StudioPlan> {
  const row = await lockActivePlan(tx, id)
  const archived_at = clock.now()
  await updatePlan(tx, id, { archived_at })
  return presentPlan({ ...row, archived_at })
}

/** Lists the subscribers of a plan, latest first. @throws Fault invalidCursor */
export async function listPlanSubscribers(
  db: Db,
  planId: string,
  paging: Paging,
  { canSeeCustomers }: OrderViewOptions,
): Promise<Page<PlanSubscriber>> {
  const { page, next_cursor } = await readPage(
    `members of ${planId}`,
    paging,
    (after, limit) => selectPlanSubscribers(db, planId, after, limit),
    ({ created_at, id }) => [created_at, id],
  )
  const list = page.map(({ id, created_at, period_ends_at, status, email, order_email, ...row }) => ({
    ...row,
    subscription_id: id,
    email: canSeeCustomers ? email : null,
    order_email: canSeeCustomers ? order_email : null,
    status: status === 'past_due' ? ('past_due' as const) : ('active' as const),
    since: created_at.toISOString(),
    period_ends_at: period_ends_at?.toISOString() ?? null,
  }))
  return { list, next_cursor }
}

async function lockActivePlan(tx: Tx, id: string): Promise<PlanRowWithSubscribers> {
  const row = await lockPlan(tx, id)
  if (!row) throw new Refusal('notFound')
  if (row.archived_at !== null) throw new Refusal('editConflict')
  return row
}

type PlanPrice = Pick<PlanRow, 'price_cents' | 'intro_price_cents' | 'currency'>

function checkPrices(
  { gateways }: Pick<PlanContext, 'gateways'>,
  { price_cents, intro_price_cents: intro, currency }: PlanPrice,
): void {
  if (intro !== null && intro >= price_cents)
    throw new Refusal('introPriceTooHigh', { field: 'intro_price_cents' })
  // One gateway must accept both amounts, because the gateway of the first period also charges the renewals.
  const cents = intro === null ? [price_cents] : [intro, price_cents]
  if (gatewaysFor({ gateways }, { cents, currency }, 'plan').length === 0)
    throw new Refusal('amountNotSupported', { field: 'price_cents' })
}

/** Serializes texts for the database. Omits empty texts, so that their languages fall back to English. */
function serializeTexts({ names, descriptions }: Partial<PlanTerms>) {
  return {
    ...(names ? { names: JSON.stringify(withoutEmptyTexts(names)) } : {}),
    ...(descriptions ? { descriptions: JSON.stringify(withoutEmptyTexts(descriptions)) } : {}),
  } as Pick<Insertable<PlansTable>, 'names' | 'descriptions'>
}

const withoutEmptyTexts = (texts: LocalizedText) =>
  Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== ''))

function presentPlan({ archived_at, ...row }: PlanRowWithSubscribers): StudioPlan {
  return { ...row, archived_at: archived_at?.toISOString() ?? null }
}
