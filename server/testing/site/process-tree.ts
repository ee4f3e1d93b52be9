import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { describeProcess, type ProcessDescription } from '#server/platform/processes/run-ps.ts'

/** A process. Its start time distinguishes it from a later process with the same id. */
export interface TreeProcess extends ProcessDescription {
  pid: number
}

/** Returns the process `root` and all its descendants; each parent is before its children. */
export function listProcessTree(root: number): TreeProcess[] {
  const parents = [...readParents()]
  const idsFrom = (pid: number): number[] => [
    pid,
    ...parents.flatMap(([child, parent]) => (parent === pid ? idsFrom(child) : [])),
  ]
  return idsFrom(root).flatMap((pid) => {
    const description = describeProcess(pid)
    return description ? [{ pid, ...description }] : []
  })
}

export function isRunning({ pid, started }: TreeProcess): boolean {
  return describeProcess(pid)?.started === started
}

/** Returns the parent's id for each process id. */
function readParents(): Map<number, number> {
  return new Map(existsSync('/proc/self/stat') ? readProc() : listWithPs())
}

function readProc(): [number, number][] {
  return readdirSync('/proc').flatMap((name): [number, number][] => {
    try {
      const stat = readFileSync(`/proc/${Number(name)}/stat`, 'utf8')
      // The program's name is in brackets; after it are the state and the parent's id.
      const [, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      return [[Number(name), Number(parent)]]
    } catch {
      // The folder does not belong to a process, or the process has exited meanwhile.
      return []
    }
  })
}

function listWithPs(): [number, number][] {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n')
  return lines.map((line) => {
    const [pid = '', parent = ''] = line.trim().split(/\s+/)
    return [Number(pid), Number(parent)]
  })
}

/** Sends a signal to a process, or to the process group `-pid`. It may have ended meanwhile. */
export function signalIfRunning(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}
