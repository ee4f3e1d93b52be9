import type { ColumnType, Generated } from 'kysely'

export interface ScheduledJobsTable {
  name: string
  interval_seconds: number
  registered_at: ColumnType<Date, never, never>
  succeeded_at: Date | null
  failing_since: Date | null
  failures: Generated<number>
  last_error: string | null
  run_requested: Generated<boolean>
  /** When a process last claimed the job. */
  claimed_at: Generated<Date | null>
}

export interface JobTables {
  scheduled_jobs: ScheduledJobsTable
}
