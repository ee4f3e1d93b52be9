import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describeProcess } from '#server/platform/processes/run-ps.ts'

/** The contents of a running PostgreSQL's `postmaster.pid`. */
export interface Postmaster {
  pid: number
  socketDir: string
  status: string
}

/**
 * Returns the PostgreSQL server that runs on `clusterDir`; undefined if none does. Ignores the file of a dead server,
 * even if another program has its process id now.
 */
export function findPostmaster(clusterDir: string): Postmaster | undefined {
  const file = readPostmasterFile(clusterDir)
  if (!file) return undefined
  const command = describeProcess(file.pid)?.command
  return command?.includes('postgres') && command.includes(clusterDir) ? file : undefined
}

function readPostmasterFile(clusterDir: string): Postmaster | undefined {
  try {
    // Lines: pid, data directory, start time, port, socket directory, listen address, shared memory key, status.
    const lines = readFileSync(join(clusterDir, 'postmaster.pid'), 'utf8').split('\n')
    const pid = Number(lines[0])
    if (!Number.isInteger(pid) || pid <= 0) return undefined
    return { pid, socketDir: lines[4] ?? '', status: lines[7]?.trim() ?? '' }
  } catch {
    return undefined
  }
}
