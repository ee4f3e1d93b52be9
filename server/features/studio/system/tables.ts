import type { ColumnType } from 'kysely'
import type { Part } from '#contract/studio/system.ts'

export interface HealthChecksTable {
  part: string
  problem: Part['problem']
  detail: string | null
  since: ColumnType<Date, never, never>
  checked_at: ColumnType<Date, never, never>
}

export interface RunningTables {
  health_checks: HealthChecksTable
}
