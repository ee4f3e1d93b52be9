import type { ColumnType } from 'kysely'
import type { ComponentHealth } from '#contract/studio/system.ts'

export interface HealthChecksTable {
  component: string
  problem: ComponentHealth['problem']
  detail: string | null
  since: ColumnType<Date, never, never>
  checked_at: ColumnType<Date, never, never>
}

export interface SystemTables {
  health_checks: HealthChecksTable
}
