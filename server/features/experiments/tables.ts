import type { ColumnType, Generated } from 'kysely'
import type { Variant, Experiment, ExperimentKind } from '#contract/studio/experiments.ts'

export interface ExperimentsTable {
  id: string
  name: string
  kind: ExperimentKind
  /** The video that it is about; null for all of the site. */
  target: string | null
  variants: ColumnType<Variant[], string, string>
  /** Of its prices, since it was started. */
  currency: ColumnType<string | null, never, string | null>
  state: Generated<Experiment['state']>
  created_at: Date
  started_at: ColumnType<Date | null, never, Date>
  stopped_at: ColumnType<Date | null, never, Date>
}

export interface ExposuresTable {
  viewer_id: string
  experiment_id: string
  variant: number
  at: Date
}

export interface ExperimentTables {
  experiments: ExperimentsTable
  exposures: ExposuresTable
}
