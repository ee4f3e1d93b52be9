// Lets one command at a time install the packages. Runs before anything is installed, so it imports nothing but Node's own modules.
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'

const lookEveryMs = 500

/**
 * Does the work while no other process does any under the same lock, and waits as long as one does. What a process that is gone
 * has left is taken over.
 * @param {string} file holds the process that works; gone when nobody does
 * @param {() => Promise<void>} work
 * @param {(message: string) => void} say told once, where another has to be waited for
 */
export async function withSetupLock(file, work, say) {
  for (let waits = 0; !take(file); waits++) {
    if (waits === 0) say(`Another command is installing the packages: waiting for it (${file}).`)
    await delay(lookEveryMs)
  }
  try {
    await work()
  } finally {
    rmSync(file, { force: true })
  }
}

function take(file) {
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' })
    return true
  } catch (error) {
    if (error.code !== 'EEXIST') throw error
    if (!isHeld(file)) rmSync(file, { force: true })
    return false
  }
}

/** Whether the process that took it still runs; it may be about to write its number. */
function isHeld(file) {
  const pid = readPid(file)
  if (pid === 0) return true
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}

function readPid(file) {
  try {
    return Number(readFileSync(file, 'utf8'))
  } catch {
    return 0
  }
}
