import { Type, type Static } from 'typebox'
import { languages } from '#contract/languages.ts'
import { Cents, Currency, Id, Time, pageOf, nullable, stringEnum, pagingFields } from '#contract/schemas.ts'
import { command } from './command.ts'
import { OrderEmail } from './customers.ts'

const readers = ['owner', 'support', 'analyst'] as const

/** A text in the site's languages. English is shown where another language is missing or empty. */
function localizedTextSchema(maxLength: number) {
  const text = Type.String({ maxLength })
  const others = languages.filter((language) => language !== 'en')
  const properties = {
    en: Type.String({ minLength: 1, maxLength }),
    ...Object.fromEntries(others.map((language) => [language, Type.Optional(text)])),
  } as {
    en: typeof text
    es: ReturnType<typeof Type.Optional<typeof text>>
    fy: ReturnType<typeof Type.Optional<typeof text>>
    dy: ReturnType<typeof Type.Optional<typeof text>>
    pt: ReturnType<typeof Type.Optional<typeof text>>
  }
  return Type.Object(properties, { 'x-keyed-by-language': true })
}

/** Currencies of new plans: those with two decimals, because prices are in cents. */
export const planCurrencies = [
  'USD',
  'EUR',
  'GBP',
  'CHF',
  'CAD',
  'AUD',
  'NZD',
  'BRL',
  'MXN',
  'SEK',
  'NOK',
  'DKK',
  'PLN',
  'CZK',
  'RON',
  'ZAR',
  'INR',
  'SGD',
  'HKD',
] as const

const Names = localizedTextSchema(60)
const Descriptions = localizedTextSchema(300)
const Price = Type.Integer({ minimum: 1, maximum: 999_999_999 })
const Days = Type.Integer({ minimum: 1, maximum: 3650 })
const Position = Type.Integer({ minimum: 0, maximum: 1000 })

/** A plan in the studio. */
export const StudioPlan = Type.Object({
  id: Id,
  names: Names,
  descriptions: Descriptions,
  price_cents: Cents,
  /** The price of the first period for customers who never had an introductory price; null for none. */
  intro_price_cents: nullable(Cents),
  currency: Currency,
  period_days: Type.Integer(),
  highlight: Type.Boolean(),
  position: Type.Integer(),
  archived_at: nullable(Time),
  /** The number of subscribers, counted up to 1,000. */
  subscribers: Type.Integer(),
})
export type StudioPlan = Static<typeof StudioPlan>

export const listStudioPlans = command({
  method: 'GET',
  path: '/api/studio/plans',
  command: 'plan list',
  roles: readers,
  summary: 'Lists the plans on sale in their order, then archived ones',
  refuses: [],
  data: Type.Object({ list: Type.Array(StudioPlan) }),
})

export const addPlan = command({
  method: 'POST',
  path: '/api/studio/plans/add',
  command: 'plan add',
  roles: ['owner'],
  summary: 'Creates a plan',
  refuses: ['introPriceTooHigh', 'amountNotSupported'],
  body: Type.Object({
    names: Names,
    descriptions: Descriptions,
    price_cents: Price,
    intro_price_cents: Type.Optional(nullable(Price)),
    currency: stringEnum(planCurrencies),
    period_days: Days,
    /** Marks the plan as recommended. At most one plan is highlighted, so another highlighted plan loses its mark. */
    highlight: Type.Optional(Type.Boolean()),
    position: Type.Optional(Position),
  }),
  info: StudioPlan,
})

export const changePlan = command({
  method: 'POST',
  path: '/api/studio/plans',
  command: 'plan change',
  args: ['id'],
  roles: ['owner'],
  summary:
    'Edits a plan; current subscribers keep their terms. A new price or billing interval creates a plan that replaces it',
  refuses: ['notFound', 'editConflict', 'introPriceTooHigh', 'amountNotSupported'],
  body: Type.Object({
    id: Id,
    names: Type.Optional(Names),
    descriptions: Type.Optional(Descriptions),
    price_cents: Type.Optional(Price),
    /** Null removes the introductory price. */
    intro_price_cents: Type.Optional(nullable(Price)),
    period_days: Type.Optional(Days),
    highlight: Type.Optional(Type.Boolean()),
    position: Type.Optional(Position),
  }),
  info: StudioPlan,
})

export const archivePlan = command({
  method: 'DELETE',
  path: '/api/studio/plans',
  command: 'plan archive',
  args: ['id'],
  roles: ['owner'],
  summary: 'Archives a plan: it is no longer sold; current subscribers keep it at their price',
  refuses: ['notFound', 'editConflict'],
  body: Type.Object({ id: Id }),
  info: StudioPlan,
})

/** A subscriber of a plan. */
export const PlanSubscriber = Type.Object({
  subscription_id: Id,
  user_id: Id,
  /** Null for the analyst, and if the account has no address. */
  email: nullable(Type.String()),
  order_email: OrderEmail,
  status: stringEnum(['active', 'past_due']),
  since: Time,
  period_ends_at: nullable(Time),
  cancel_at_period_end: Type.Boolean(),
  /** The price of the next period. */
  price_cents: Cents,
  currency: Currency,
})
export type PlanSubscriber = Static<typeof PlanSubscriber>

export const listPlanSubscribers = command({
  method: 'GET',
  path: '/api/studio/plans/subscribers',
  command: 'plan subscribers',
  args: ['id'],
  roles: readers,
  summary: "Lists a plan's subscribers, newest first",
  refuses: [],
  query: Type.Object({ id: Id, ...pagingFields }),
  data: pageOf(PlanSubscriber),
})
