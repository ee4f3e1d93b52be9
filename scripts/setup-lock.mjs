// Lets one command at a time install the packages. Runs before anything is installed, so it imports nothing but Node's own modules.
import { linkSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'

const lookEveryMs = 500
const touchEveryMs = 1000
/** The owner touches the file while it works, because another process may have the id of a dead one. */
const staleAfterMs = 15_000

export async function withSetupLock(file, work, say) {
  for (let told = false; !take(file);) {
    if (dropStale(file)) continue
    if (!told) say(`Another command is installing the packages: waiting for it (${file}).`)
    told = true
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

/** Removes what a process that is gone has left; should a quicker one have taken it in between, it gets its file back. */
function dropStale(file) {
  if (!isStale(file)) return false
  const aside = `${file}-${process.pid}`
  const moved = unless('ENOENT', () => renameSync(file, aside))
  if (moved && !isStale(aside)) unless('EEXIST', () => linkSync(aside, file))
  rmSync(aside, { force: true })
  return moved
}

function isStale(file) {
  const looked = statSync(file, { throwIfNoEntry: false })
  return looked !== undefined && Date.now() - looked.mtimeMs > staleAfterMs
}

/** Does it, and answers whether that went well; any error but the one with this code is thrown. */
function unless(code, deed) {
  try {
    deed()
    return true
  } catch (error) {
    if (error.code !== code) throw error
    return false
  }
}
