import { Type, type Static } from 'typebox'
import { Currency, Id, Time, listOf, nullable, oneOf, paging } from '#contract/shapes.ts'
import { command } from './command.ts'
import { payLayouts } from './homepage.ts'
import { priceWarnings } from './video-warnings.ts'

const readers = ['owner', 'analyst'] as const

/** What may be tried out; one thing by one experiment. */
export const experimentKinds = ['free_episodes', 'episode_price', 'video_price', 'pay_theme'] as const
export type ExperimentKind = (typeof experimentKinds)[number]

/** A variant: what a part of the viewers gets. The first is the control and has no value of its own. */
export const Variant = Type.Object({
  /** In percent; those of all variants make a hundred. */
  share: Type.Integer({ minimum: 1, maximum: 99 }),
  free_episodes: Type.Optional(Type.Integer({ minimum: 0, maximum: 10_000 })),
  /** Of one episode, or of the whole video. */
  price_cents: Type.Optional(Type.Integer({ minimum: 1, maximum: 100_000_000 })),
  layout: Type.Optional(oneOf(payLayouts)),
  /** As `#ff8a4c`. */
  accent: Type.Optional(Type.String({ pattern: '^#[0-9a-fA-F]{6}$' })),
})
export type Variant = Static<typeof Variant>

const Variants = Type.Array(Variant, { minItems: 2, maxItems: 4 })
const Name = Type.String({ minLength: 1, maxLength: 100 })

export const Experiment = Type.Object({
  id: Id,
  name: Type.String(),
  kind: oneOf(experimentKinds),
  /** The video that it is about; null for all of the site. */
  target: nullable(Id),
  /** What that is called. */
  target_name: nullable(Type.String()),
  /** Of its prices. */
  currency: nullable(Currency),
  variants: Type.Array(Variant),
  state: oneOf(['draft', 'running', 'stopped']),
  created_at: Time,
  started_at: nullable(Time),
  stopped_at: nullable(Time),
})
export type Experiment = Static<typeof Experiment>

/** A figure with the interval that holds the true one in 95 of 100 experiments. */
const Estimate = Type.Object({ value: Type.Number(), low: Type.Number(), high: Type.Number() })
export type Estimate = Static<typeof Estimate>

/** How a variant differs from the first; `clear` where chance alone would hardly make such a difference. */
const Difference = Type.Object({ ...Estimate.properties, clear: Type.Boolean() })
export type Difference = Static<typeof Difference>

export const VariantResult = Type.Object({
  exposed: Type.Integer(),
  buyers: Type.Integer(),
  /** Buyers among the exposed, as a share of one. */
  conversion: Estimate,
  conversion_difference: nullable(Difference),
  /** What each exposed viewer brought, in cents, without what went back; one for each currency. */
  revenue: Type.Array(
    Type.Object({
      currency: Currency,
      net_cents: Type.Integer(),
      per_viewer: Estimate,
      difference: nullable(Difference),
    }),
  ),
})
export type VariantResult = Static<typeof VariantResult>

export const ExperimentResult = Type.Object({
  experiment: Experiment,
  variants: Type.Array(VariantResult),
  /** As many exposed viewers each variant should have before anybody decides. */
  minimum: Type.Integer(),
  is_early: Type.Boolean(),
  /** The variants have other shares of the viewers than they should: something is wrong with the experiment itself. */
  is_uneven: Type.Boolean(),
  /** Warnings of the video's prices in a draft's variants; the control is number 0. */
  warnings: Type.Array(Type.Object({ variant: Type.Integer(), warning: oneOf(priceWarnings) })),
  /** When viewers and money were counted: of an experiment that many have met some minutes ago, once it is stopped up to a day. */
  counted_at: Time,
})
export type ExperimentResult = Static<typeof ExperimentResult>

export const createExperiment = command({
  method: 'POST',
  path: '/api/studio/experiments',
  command: 'experiment create',
  args: ['kind', 'name'],
  roles: ['owner'],
  summary: 'Creates an experiment as a draft; viewers see it once it is started',
  refuses: ['notFound', 'variantsInvalid', 'amountNotTaken'],
  body: Type.Object({
    kind: oneOf(experimentKinds),
    name: Name,
    target: Type.Optional(nullable(Id)),
    variants: Variants,
  }),
  info: Experiment,
})

export const changeExperiment = command({
  method: 'POST',
  path: '/api/studio/experiments/change',
  command: 'experiment change',
  args: ['id'],
  roles: ['owner'],
  summary: 'Edits a draft; a started experiment can only be stopped',
  refuses: ['notFound', 'movedOn', 'variantsInvalid', 'amountNotTaken'],
  body: Type.Object({ id: Id, name: Type.Optional(Name), variants: Type.Optional(Variants) }),
  info: Experiment,
})

export const startExperiment = command({
  method: 'POST',
  path: '/api/studio/experiments/start',
  command: 'experiment start',
  args: ['id'],
  roles: ['owner'],
  summary: 'Starts an experiment',
  refuses: ['notFound', 'movedOn', 'experimentRuns', 'amountNotTaken'],
  body: Type.Object({ id: Id }),
  info: Experiment,
})

export const stopExperiment = command({
  method: 'POST',
  path: '/api/studio/experiments/stop',
  command: 'experiment stop',
  args: ['id'],
  roles: ['owner'],
  summary: 'Stops an experiment permanently: everyone sees the control again',
  refuses: ['notFound', 'movedOn'],
  body: Type.Object({ id: Id }),
  info: Experiment,
})

export const listExperiments = command({
  method: 'GET',
  path: '/api/studio/experiments',
  command: 'experiment list',
  roles: readers,
  summary: 'Lists experiments, newest first',
  refuses: [],
  query: Type.Object({ ...paging }),
  data: listOf(Experiment),
})

export const showExperiment = command({
  method: 'GET',
  path: '/api/studio/experiments/result',
  command: 'experiment show',
  args: ['id'],
  roles: readers,
  summary: 'Shows an experiment with its result and intervals',
  refuses: ['notFound'],
  query: Type.Object({ id: Id }),
  info: ExperimentResult,
})
