import type { BodyOf } from '#contract/endpoint.ts'
import {
  addPlan as addCall,
  changePlan as changeCall,
  listPlanSubscribers as listSubscribersCall,
  listStudioPlans,
  archivePlan as archiveCall,
} from '#contract/studio/plans.ts'
import {
  addPlan,
  changePlanTerms,
  listPlanSubscribers,
  listPlansForAdmin,
  archivePlan,
  type PlanTerms,
} from '#server/features/billing/billing.ts'
import { choosePageSize } from '#server/platform/cursor.ts'
import { transactionalCommand, readCommand, type Command } from './define-command.ts'
import { orderViewOf, pageLimits } from './orders.ts'

/** Commands for plans and their subscribers. The rules are in server/features/billing. */
export const planCommands: Command[] = [
  readCommand(listStudioPlans, async ({ db }) => ({ data: { list: await listPlansForAdmin(db) } })),

  transactionalCommand(addCall, async (context, tx, body) => {
    const { intro_price_cents = null, highlight = false, position = 0 } = body
    const { names, descriptions, price_cents, period_days, currency } = body
    const terms = { names, descriptions, price_cents, intro_price_cents, period_days, currency }
    const { plan, unhighlightedPlanIds: unhighlightedPlans } = await addPlan(context, tx, {
      ...terms,
      highlight,
      position,
    })
    return {
      answer: { info: plan },
      change: { subject: plan.id, after: withUnhighlighted(plan, unhighlightedPlans) },
    }
  }),

  transactionalCommand(changeCall, async (context, tx, body) => {
    const {
      plan,
      unhighlightedPlanIds: unhighlightedPlans,
      before,
    } = await changePlanTerms(context, tx, body.id, pickTerms(body))
    return {
      answer: { info: plan },
      change: { subject: body.id, before, after: withUnhighlighted(plan, unhighlightedPlans) },
    }
  }),

  transactionalCommand(archiveCall, async (context, tx, { id }) => {
    const plan = await archivePlan(context, tx, id)
    const { archived_at } = plan
    return {
      answer: { info: plan },
      change: { subject: id, before: { archived_at: null }, after: { archived_at } },
    }
  }),

  readCommand(listSubscribersCall, async ({ db }, { id, cursor, limit }, actor) => {
    const paging = { cursor, size: choosePageSize(limit, pageLimits) }
    return { data: await listPlanSubscribers(db, id, paging, orderViewOf(actor)) }
  }),
]

/** Adds to a plan's audit-log entry the ids of the plans that lost their highlight to this plan. */
const withUnhighlighted = <Plan extends object>(plan: Plan, unhighlightedPlans: string[]) =>
  unhighlightedPlans.length > 0 ? { ...plan, took_highlight_from: unhighlightedPlans } : plan

const changeableFields = [
  'names',
  'descriptions',
  'price_cents',
  'intro_price_cents',
  'period_days',
  'highlight',
  'position',
] as const

/** Returns the plan's terms in a body, without other fields such as the id. */
function pickTerms(body: BodyOf<typeof changeCall>): Partial<PlanTerms> {
  const changedFields = changeableFields.filter((name) => body[name] !== undefined)
  return Object.fromEntries(changedFields.map((name) => [name, body[name]]))
}
