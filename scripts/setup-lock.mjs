// A lock that allows only one command at a time to install packages. Runs before packages are installed, so it imports
// only Node's own modules.
import { rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'

const lookEveryMs = 500
const touchEveryMs = 1000
/**
 * Maximum age of the lock file in milliseconds. Its owner updates the file's time; the owner of an older file has
 * exited, even if another process now has its pid.
 */
const staleAfterMs = 15_000

export async function withSetupLock(file, work, say) {
  for (let isReported = false; !take(file);) {
    if (dropStale(file)) continue
    if (!isReported) say(`Another command is installing the packages: waiting for it (${file}).`)
    isReported = true
    await delay(lookEveryMs)
  }
  const touching = setInterval(() => touch(file), touchEveryMs).unref()
  try {
    await work()
  } finally {
    clearInterval(touching)
    rmSync(file, { force: true })
  }
}

function take(file) {
  return unless('EEXIST', () => writeFileSync(file, '', { flag: 'wx' }))
}

function touch(file) {
  const now = new Date()
  unless('ENOENT', () => utimesSync(file, now, now))
}

/**
 * Removes the lock file of a process that has exited. Only one process at a time may check and remove it: otherwise a
 * slow process would remove the lock that another process has taken since the check.
 */
function dropStale(file) {
  if (!isStale(file)) return false
  const removal = `${file}-removal`
  if (!take(removal)) {
    // A removal takes microseconds. So if the file `removal` is old, its process was killed during the removal.
    if (isStale(removal)) rmSync(removal, { force: true })
    return false
  }
  try {
    if (!isStale(file)) return false
    rmSync(file)
    return true
  } finally {
    rmSync(removal, { force: true })
  }
}

function isStale(file) {
  const looked = statSync(file, { throwIfNoEntry: false })
  return looked !== undefined && Date.now() - looked.mtimeMs > staleAfterMs
}

/** Runs `action` and returns true. Returns false if it throws an error with this code; other errors are thrown. */
function unless(code, action) {
  try {
    action()
    return true
  } catch (error) {
    if (error.code !== code) throw error
    return false
  }
}
