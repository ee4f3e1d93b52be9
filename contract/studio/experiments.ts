import { Type, type Static } from 'typebox'
import { Currency, Id, Time, pageOf, nullable, stringEnum, pagingFields } from '#contract/schemas.ts'
import { command } from './command.ts'
import { payLayouts } from './homepage.ts'
import { priceWarnings } from './video-warnings.ts'

const readers = ['owner', 'analyst'] as const

/** The properties that an experiment can vary; each experiment varies one. */
export const experimentKinds = ['free_episodes', 'episode_price', 'video_price', 'pay_theme'] as const
export type ExperimentKind = (typeof experimentKinds)[number]

/**
 * A variant that a share of the viewers sees. The first variant is the control: it has only a share, and changes
 * nothing.
 */
export const Variant = Type.Object({
  /** In percent; the shares of all variants add up to 100. */
  share: Type.Integer({ minimum: 1, maximum: 99 }),
  free_episodes: Type.Optional(Type.Integer({ minimum: 0, maximum: 10_000 })),
  /** The price of an episode or of the whole video, according to the experiment's kind. */
  price_cents: Type.Optional(Type.Integer({ minimum: 1, maximum: 100_000_000 })),
  layout: Type.Optional(stringEnum(payLayouts)),
  /** A colour such as `#ff8a4c`. */
  accent: Type.Optional(Type.String({ pattern: '^#[0-9a-fA-F]{6}$' })),
})
export type Variant = Static<typeof Variant>

const Variants = Type.Array(Variant, { minItems: 2, maxItems: 4 })
const Name = Type.String({ minLength: 1, maxLength: 100 })

export const Experiment = Type.Object({
  id: Id,
  name: Type.String(),
  kind: stringEnum(experimentKinds),
  /** The tested video; null for the whole site. */
  target: nullable(Id),
  /** The title of the tested video. */
  target_name: nullable(Type.String()),
  /** The currency of the variants' prices. */
  currency: nullable(Currency),
  variants: Type.Array(Variant),
  state: stringEnum(['draft', 'running', 'stopped']),
  created_at: Time,
  started_at: nullable(Time),
  stopped_at: nullable(Time),
})
export type Experiment = Static<typeof Experiment>

/** An estimate with its 95% confidence interval. */
const Estimate = Type.Object({ value: Type.Number(), low: Type.Number(), high: Type.Number() })
export type Estimate = Static<typeof Estimate>

/**
 * The difference between a variant and the control; `significant` if its confidence interval excludes zero. With
 * several variants, the intervals are wider (Bonferroni correction).
 */
const Difference = Type.Object({ ...Estimate.properties, significant: Type.Boolean() })
export type Difference = Static<typeof Difference>

export const VariantResult = Type.Object({
  exposed: Type.Integer(),
  buyers: Type.Integer(),
  /** Buyers per exposed viewer, from 0 to 1. */
  conversion: Estimate,
  conversion_difference: nullable(Difference),
  /** Net revenue per exposed viewer in cents, for each currency. */
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
  /** Empty before the first count. */
  variants: Type.Array(VariantResult),
  /** Minimum number of exposed viewers per variant for a decision. */
  min_viewers: Type.Integer(),
  has_too_few_viewers: Type.Boolean(),
  /**
   * Sample ratio mismatch: the actual shares of the variants differ from the configured shares, so the result is not
   * valid.
   */
  has_sample_ratio_mismatch: Type.Boolean(),
  /** Price warnings for the variants of a draft; the control is number 0. */
  warnings: Type.Array(Type.Object({ variant: Type.Integer(), warning: stringEnum(priceWarnings) })),
  /**
   * The time at which the results were counted: up to some minutes ago for a running experiment with many viewers, and
   * up to a day ago for a stopped experiment. Null until an experiment with many viewers is first counted.
   */
  counted_at: nullable(Time),
})
export type ExperimentResult = Static<typeof ExperimentResult>

export const createExperiment = command({
  method: 'POST',
  path: '/api/studio/experiments',
  command: 'experiment create',
  args: ['kind', 'name'],
  roles: ['owner'],
  summary: 'Creates an experiment as a draft; viewers take part once it is started',
  refuses: ['notFound', 'variantsInvalid', 'amountNotSupported'],
  body: Type.Object({
    kind: stringEnum(experimentKinds),
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
  refuses: ['notFound', 'editConflict', 'variantsInvalid', 'amountNotSupported'],
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
  refuses: ['notFound', 'editConflict', 'experimentRunning', 'amountNotSupported'],
  body: Type.Object({ id: Id }),
  info: Experiment,
})

export const stopExperiment = command({
  method: 'POST',
  path: '/api/studio/experiments/stop',
  command: 'experiment stop',
  args: ['id'],
  roles: ['owner'],
  summary: 'Stops an experiment permanently; all viewers see the control again',
  refuses: ['notFound', 'editConflict'],
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
  query: Type.Object({ ...pagingFields }),
  data: pageOf(Experiment),
})

export const showExperiment = command({
  method: 'GET',
  path: '/api/studio/experiments/result',
  command: 'experiment show',
  args: ['id'],
  roles: readers,
  summary: 'Shows an experiment with its results and confidence intervals',
  refuses: ['notFound'],
  query: Type.Object({ id: Id }),
  info: ExperimentResult,
})
