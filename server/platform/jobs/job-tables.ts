import type { ColumnType, Generated } from 'kysely'

export interface JobRunsTable {
  name: string
  every_seconds: number
  known_since: ColumnType<Date, never, never>
  succeeded_at: Date | null
  failing_since: Date | null
  failures: Generated<number>
  reason: string | null
  wanted: Generated<boolean>
  /** When a process last claimed it. */
  taken_at: Generated<Date | null>
}

export interface JobTables {
  job_runs: JobRunsTable
}
