import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'

/**
 * A process as the system describes it: its command line, and its start time (ids are reused, but not with the same
 * start time).
 */
export interface ProcessDescription {
  command: string
  started: string
}

const hasProc = existsSync('/proc/self/stat')

/** Describes the process `pid`; undefined if there is none. Reads /proc, or runs `ps` (time-out 2 s) without it. */
export function describeProcess(pid: number): ProcessDescription | undefined {
  try {
    return hasProc ? readProc(pid) : readPs(pid)
  } catch {
    return undefined
  }
}

function readProc(pid: number): ProcessDescription | undefined {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  // The name in brackets may contain spaces, so fields are counted after the closing bracket. Field 0 is the state, and
  // field 19 the start time in ticks since boot.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  if (fields[0] === 'Z') return undefined
  return {
    command: readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim(),
    started: fields[19] ?? '',
  }
}

function readPs(pid: number): ProcessDescription | undefined {
  const line = execFileSync('ps', ['-o', 'lstart=,command=', '-p', String(pid)], {
    encoding: 'utf8',
    timeout: 2000,
  }).trim()
  return line ? { command: line.slice(24).trim(), started: line.slice(0, 24) } : undefined
}
