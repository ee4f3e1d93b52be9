// Runs one program at a time for a script, and ends it when the script is asked to end. Runs before anything is installed, so it
// imports nothing but Node's own modules.
import { spawn, spawnSync } from 'node:child_process'
import { constants } from 'node:os'

const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP']
/** A program that has not ended this long after a signal is killed. The site ends sooner (server/platform/processes/stop-signals.ts). */
export const killAfterMs = 9500
const checkParentEveryMs = 250

let child
let stoppedBy

/** Exit status of a process that a signal has ended, as a shell reports it. */
const statusOf = (signal) => 128 + constants.signals[signal]

/** From now on a signal ends the program that runs, and no other is started. The end of npm counts as SIGTERM. */
export function passSignalsOn() {
  for (const signal of stopSignals) process.on(signal, stop)
  if (process.env['npm_lifecycle_event'] === undefined) return
  // npm dies of SIGHUP and SIGKILL without a word to its child.
  const npm = process.ppid
  const checking = setInterval(() => {
    if (process.ppid === npm) return
    clearInterval(checking)
    stop('SIGTERM')
  }, checkParentEveryMs).unref()
}

/** Whether a signal, or the end of npm, has asked this script to end. */
export const isStopping = () => stoppedBy !== undefined

function stop(signal) {
  if (!child) process.exit(statusOf(signal))
  if (stoppedBy === undefined) setTimeout(() => child?.kill('SIGKILL'), killAfterMs).unref()
  stoppedBy ??= signal
  // At a terminal the program has had Ctrl-C already. It has to bear both, as `kill` reaches us alone.
  child.kill(signal)
}

/**
 * Runs a program to its end.
 * @param {string} command
 * @param {string[]} args
 * @param {import('node:child_process').SpawnOptions} options
 * @param {(child: import('node:child_process').ChildProcess) => void} started
 * @returns {Promise<number>} its exit status
 */
export async function runChild(command, args, options, started = () => {}) {
  if (stoppedBy !== undefined) return statusOf(stoppedBy)
  child = spawn(...boundToUs(command, args), options)
  started(child)
  try {
    const [status, signal] = await new Promise((resolve, reject) =>
      child.on('error', reject).on('close', (...end) => resolve(end)),
    )
    return status ?? statusOf(signal)
  } finally {
    child = undefined
  }
}

let setprivWorks

/**
 * The command line of a program that gets SIGTERM when we end, however that happens. Linux only: elsewhere it stays as it is.
 * @returns {[string, string[]]}
 */
export function boundToUs(command, args) {
  // There is more than one setpriv, and BusyBox's can't do this.
  setprivWorks ??= spawnSync('setpriv', ['--pdeathsig', 'TERM', 'true'], { timeout: 5000 }).status === 0
  if (!setprivWorks) return [command, args]
  return ['setpriv', ['--pdeathsig', 'TERM', command, ...args]]
}
