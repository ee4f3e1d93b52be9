import type { ColumnType, Generated } from 'kysely'
import type { Variant, Experiment, ExperimentKind } from '#contract/studio/experiments.ts'

export interface ExperimentsTable {
  id: string
  name: string
  kind: ExperimentKind
  /** The video that the experiment is about; null for the whole site. */
  target: string | null
  variants: ColumnType<Variant[], string, string>
  /** The currency of the experiment's prices, set when the experiment starts. */
  currency: ColumnType<string | null, never, string | null>
  state: Generated<Experiment['state']>
  created_at: Date
  started_at: ColumnType<Date | null, never, Date>
  stopped_at: ColumnType<Date | null, never, Date>
}

export interface ExperimentExposuresTable {
  viewer_id: string
  experiment_id: string
  variant: number
  at: Date
}

export interface ExperimentTables {
  experiments: ExperimentsTable
  experiment_exposures: ExperimentExposuresTable
}
