// Keeps the site's process running for `npm start`.
import { setTimeout as delay } from 'node:timers/promises'

/** A process that runs this long has started; an invalid setting stops it sooner. */
const startedMs = 10_000
/** A process that ran this long resets the backoff. */
const stableMs = 60_000
const firstPauseMs = 1000
const longestPauseMs = 60_000

/** Exit statuses of an orderly exit, or of a stop signal: 128 plus SIGHUP, SIGINT or SIGTERM. */
const inOrder = new Set([0, 129, 130, 143])
/** Exit status for an invalid setting and for an uncaught error. */
const failed = 1

/**
 * Runs a process and restarts it when it crashes, with exponential backoff. Returns when the process exits normally, when its first
 * start fails, or when the script receives a stop signal.
 * @param {() => Promise<number>} start runs the process and returns its exit status
 * @param {import('./supervise.d.mts').SuperviseOptions} options
 * @returns {Promise<number>} the last exit status
 */
export async function supervise(start, { isStopping, say = console.error, now = Date.now, pause = delay }) {
  let hasStarted = false
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    const began = now()
    const status = await start()
    const ranMs = now() - began
    hasStarted ||= ranMs >= startedMs || status !== failed
    if (inOrder.has(status) || isStopping() || !hasStarted) return status
    if (ranMs >= stableMs) pauseMs = firstPauseMs
    say(`The site's process ended with status ${status}; it starts again in ${pauseMs / 1000} s.`)
    await pause(pauseMs)
    if (isStopping()) return status
  }
}
