// Keeps the site's process running for `npm start`.
import { setTimeout as delay } from 'node:timers/promises'

/** A process that runs this long has started: a wrong setting ends it sooner. */
const startedMs = 10_000
/** After a process that ran this long, the pause is the shortest again. */
const stableMs = 60_000
const firstPauseMs = 1000
const longestPauseMs = 60_000

/** Statuses of a process that ended in order, or that a stop signal ended: 128 and SIGHUP, SIGINT or SIGTERM. */
const inOrder = new Set([0, 129, 130, 143])
/** Status of a start that a wrong setting ends, and of an uncaught error. */
const failed = 1

/**
 * Runs a process, and starts it again when it dies, with exponential backoff. Ends when the process ends in order, when its first
 * start fails, or when the script is asked to stop.
 * @param {() => Promise<number>} start runs the process to its end and gives its exit status
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
