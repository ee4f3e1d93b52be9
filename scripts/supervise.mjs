// Restarts the site's process for `npm start` when it crashes.
import { setTimeout as delay } from 'node:timers/promises'

/** A process that has run for this many milliseconds counts as started. With an invalid setting, it exits sooner. */
const startedMs = 10_000
/** After a run of this many milliseconds, the backoff starts again from the first pause. */
const stableMs = 60_000
const firstPauseMs = 1000
const longestPauseMs = 60_000

/** Exit statuses of a normal exit, and of a stop by SIGHUP, SIGINT or SIGTERM (128 plus the signal's number). */
const inOrder = new Set([0, 129, 130, 143])
/** Exit status of a process with an invalid setting or an uncaught error. */
const failed = 1

/**
 * Runs a process and restarts it when it crashes, with exponential backoff. Returns when the process exits normally,
 * when its first start fails, or when the script receives a stop signal.
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
    say(`The site exited with status ${status}. Restarting it in ${pauseMs / 1000} s.`)
    await pause(pauseMs)
    if (isStopping()) return status
  }
}
