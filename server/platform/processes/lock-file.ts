import { randomBytes } from 'node:crypto'
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { describeProcess } from './run-ps.ts'

/** The holder of a lock file. `note` is for display: what the holder is or where it listens. */
export interface Holder {
  pid: number
  started: string
  note: string
}

/** Describes this process as the holder of a lock. */
export function thisProcess(note = ''): Holder {
  return { pid: process.pid, started: describeProcess(process.pid)?.started ?? '', note }
}

/** Returns whether the process that wrote `holder` still runs; a newer process with the same id does not count. */
export function isAlive(holder: Holder): boolean {
  return describeProcess(holder.pid)?.started === holder.started
}

/** Returns the holder that a file names; undefined if there is no such file or it is malformed. */
export function readHolder(path: string): Holder | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return undefined
  }
}

/**
 * Takes the lock file at `path`, or returns its holder. A lock whose holder no longer runs (kill -9) is taken over. The
 * file is created by a hard link, so readers never see it incomplete.
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

/** Deletes the lock file of a dead holder. Restores it if another process has taken the lock in the meantime. */
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
 * Runs `work` while holding the lock file at `path`, waiting until it is free.
 * @throws Error if another process holds the lock longer than `timeoutMs`
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
      throw new Error(`Process ${lock.heldBy.pid} has held ${path} for more than ${timeoutMs / 1000} s.`)
    await delay(20)
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
