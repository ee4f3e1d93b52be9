import type { BodyOf } from '#contract/endpoint.ts'
import {
  addPlan as addCall,
  changePlan as changeCall,
  listPlanMembers as listMembersCall,
  listPlans,
  retirePlan as retireCall,
} from '#contract/studio/plans.ts'
import {
  addPlan,
  changePlanTerms,
  listPlanMembers,
  listPlansForAdmin,
  retirePlan,
  type PlanTerms,
} from '#server/features/billing/billing.ts'
import { pageSize } from '#server/platform/cursor.ts'
import { changes, reads, type Command } from './command.ts'
import { lookOf, pageLimits } from './orders.ts'

/** Commands for plans and their subscribers. Billing implements the rules. */
export const planCommands: Command[] = [
  reads(listPlans, async ({ db }) => ({ data: { list: await listPlansForAdmin(db) } })),

  changes(addCall, async (context, tx, body) => {
    const { intro_price_cents = null, highlight = false, position = 0 } = body
    const { names, descriptions, price_cents, period_days, currency } = body
    const sold = { names, descriptions, price_cents, intro_price_cents, period_days, currency }
    const { plan, dimmed } = await addPlan(context, tx, { ...sold, highlight, position })
    return { answer: { info: plan }, change: { subject: plan.id, after: withDimmed(plan, dimmed) } }
  }),

  changes(changeCall, async (context, tx, body) => {
    const { plan, dimmed, before } = await changePlanTerms(context, tx, body.id, termsOf(body))
    return { answer: { info: plan }, change: { subject: body.id, before, after: withDimmed(plan, dimmed) } }
  }),

  changes(retireCall, async (context, tx, { id }) => {
    const plan = await retirePlan(context, tx, id)
    const { retired_at } = plan
    return {
      answer: { info: plan },
      change: { subject: id, before: { retired_at: null }, after: { retired_at } },
    }
  }),

  reads(listMembersCall, async ({ db }, { id, cursor, limit }, actor) => {
    const paging = { cursor, size: pageSize(limit, pageLimits) }
    return { data: await listPlanMembers(db, id, paging, lookOf(actor)) }
  }),
]

/** Adds to a plan's audit entry the other plans that lose their highlight to it. */
const withDimmed = <Plan extends object>(plan: Plan, dimmed: string[]) =>
  dimmed.length > 0 ? { ...plan, took_highlight_from: dimmed } : plan

const changeable = [
  'names',
  'descriptions',
  'price_cents',
  'intro_price_cents',
  'period_days',
  'highlight',
  'position',
] as const

/** Returns the fields to change; other fields of a body are ignored. */
function termsOf(body: BodyOf<typeof changeCall>): Partial<PlanTerms> {
  const wished = changeable.filter((name) => body[name] !== undefined)
  return Object.fromEntries(wished.map((name) => [name, body[name]]))
}
