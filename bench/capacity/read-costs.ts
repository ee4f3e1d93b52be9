import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import type { Pool } from 'pg'

/** Counters of a site and its database since their start. */
export interface Costs {
  transactions: number
  walBytes: number
  rowsWritten: number
  databaseBytes: number
  siteCpuMs: number
  databaseCpuMs: number
}

/**
 * Reads the current counters. The CPU time is from /proc: of process `pid` with its descendants, and of all PostgreSQL
 * processes, including those that have exited.
 */
export async function readCosts(pool: Pool, pid: number): Promise<Costs> {
  const { rows } = await pool.query<
    Record<'pid' | 'transactions' | 'rows_written' | 'wal_bytes' | 'database_bytes', string>
  >(
    `SELECT pg_backend_pid() AS pid, xact_commit + xact_rollback AS transactions,
       tup_inserted + tup_updated + tup_deleted AS rows_written,
       pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') AS wal_bytes,
       pg_database_size(current_database()) AS database_bytes
     FROM pg_stat_database WHERE datname = current_database()`,
  )
  const [row] = rows
  if (!row) throw new Error('PostgreSQL returned no statistics')
  const processes = readProcesses()
  const server = processes.get(Number(row.pid))?.parent ?? NaN
  return {
    transactions: Number(row.transactions),
    walBytes: Number(row.wal_bytes),
    rowsWritten: Number(row.rows_written),
    databaseBytes: Number(row.database_bytes),
    siteCpuMs: cpuMs(processes, pid, server),
    databaseCpuMs: cpuMs(processes, server),
  }
}

/** Returns the difference between two readings. */
export function costsBetween(before: Costs, after: Costs): Costs {
  return {
    transactions: after.transactions - before.transactions,
    walBytes: after.walBytes - before.walBytes,
    rowsWritten: after.rowsWritten - before.rowsWritten,
    databaseBytes: after.databaseBytes - before.databaseBytes,
    siteCpuMs: after.siteCpuMs - before.siteCpuMs,
    databaseCpuMs: after.databaseCpuMs - before.databaseCpuMs,
  }
}

interface ProcessTime {
  parent: number
  cpuMs: number
}

const ticksPerSecond = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8', timeout: 2000 }))

function readProcesses(): Map<number, ProcessTime> {
  const pids = readdirSync('/proc').map(Number).filter(Number.isInteger)
  return new Map(pids.flatMap((pid) => readProcess(pid)))
}

/** Reads the CPU time of a process. Returns an empty list if the process has exited meanwhile. */
function readProcess(pid: number): [number, ProcessTime][] {
  let stat: string
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  } catch {
    return []
  }
  // Skips the program's name: it is in brackets, and may contain spaces.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0)
  return [[pid, { parent: Number(fields[1]), cpuMs: (ticks * 1000) / ticksPerSecond }]]
}

/** Returns the CPU time of a process and its descendants, without the process `except`. */
function cpuMs(processes: ReadonlyMap<number, ProcessTime>, pid: number, except?: number): number {
  const own = processes.get(pid)?.cpuMs ?? 0
  const children = [...processes].filter(([child, { parent }]) => parent === pid && child !== except)
  return children.reduce((sum, [child]) => sum + cpuMs(processes, child, except), own)
}
