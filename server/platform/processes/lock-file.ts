import { randomBytes } from 'node:crypto'
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { describeProcess } from './run-ps.ts'

/** Who holds a lock file. `note` is for people: what the holder is or where it listens. */
export interface Holder {
  pid: number
  started: string
  note: string
}

/** This process as the holder of a lock. */
export function thisProcess(note = ''): Holder {
  return { pid: process.pid, started: describeProcess(process.pid)?.started ?? '', note }
}

/** Whether the process that wrote `holder` still runs; a newer process with the same id does not count. */
export function isAlive(holder: Holder): boolean {
  return describeProcess(holder.pid)?.started === holder.started
}

/** The holder a file names; undefined if there is no such file or it is not one of ours. */
export function readHolder(path: string): Holder | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return undefined
  }
}

/**
 * Takes the lock file at `path`, or says who has it. A lock whose holder no longer runs (kill -9) is taken over.
 * The file appears complete by a hard link, so no reader sees half of it.
 */
export function tryLock(path: string, note = ''): { release: () => void } | { heldBy: Holder } {
  const own = thisProcess(note)
  const draft = `${path}.${process.pid}-${randomBytes(4).toString('hex')}`
  writeFileSync(draft, JSON.stringify(own))
  try {
    for (;;) {
      try {
        linkSync(draft, path)
        return { release: () => rmSync(path, { force: true }) }
      } catch (error) {
        if (!hasCode(error, 'EEXIST')) throw error
      }
      const holder = readHolder(path)
      if (holder && isAlive(holder)) return { heldBy: holder }
      removeStale(path)
    }
  } finally {
    rmSync(draft, { force: true })
  }
}

/** Moves a dead holder's file away. Should a quicker process have taken the lock in between, it gets its file back. */
function removeStale(path: string): void {
  const aside = `${path}.stale-${randomBytes(4).toString('hex')}`
  try {
    renameSync(path, aside)
    const moved = readHolder(aside)
    if (moved && isAlive(moved)) linkSync(aside, path)
  } catch (error) {
    if (!hasCode(error, 'ENOENT') && !hasCode(error, 'EEXIST')) throw error
  } finally {
    rmSync(aside, { force: true })
  }
}

/**
 * Runs `work` while holding the lock file at `path`; waits for its turn.
 * @throws Error when another process keeps the lock longer than `timeoutMs`
 */
export async function withLock<T>(path: string, work: () => Promise<T>, timeoutMs = 90_000): Promise<T> {
  const deadline = Date.now() + timeoutMs
  for (;;) {
    const lock = tryLock(path)
    if ('release' in lock) {
      try {
        return await work()
      } finally {
        lock.release()
      }
    }
    if (Date.now() > deadline)
      throw new Error(`Process ${lock.heldBy.pid} has kept ${path} for more than ${timeoutMs / 1000} s.`)
    await delay(20)
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
