// Runs one child process at a time for a script, and stops it when the script receives a signal. Runs before packages
// are installed, so it imports only Node's own modules.
import { spawn, spawnSync } from 'node:child_process'
import { constants } from 'node:os'

const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP']
/**
 * A program that still runs this many milliseconds after a stop signal is killed. The processes of the site have
 * shorter limits of their own (server/platform/processes/stop-signals.ts).
 */
export const killAfterMs = 9500
/** Like `killAfterMs`, for the site, which first finishes its current requests. */
export const killSiteAfterMs = 35_000
/** Like `killAfterMs`, after a second Ctrl-C. */
const killInterruptedAfterMs = 1000
/**
 * A SIGINT within this time after the first signal is part of the same Ctrl-C, which the terminal and npm both send
 * (server/platform/processes/stop-signals.ts).
 */
export const sameInterruptMs = 2000
const checkParentEveryMs = 250

let child
let killChildAfterMs
let stoppedBy
let stoppedAt

/** Returns the exit status that a shell reports for a process which a signal has terminated. */
const statusOf = (signal) => 128 + constants.signals[signal]

/**
 * Forwards signals to the running program, and then prevents the start of another program. The exit of the parent
 * npm counts as SIGTERM.
 */
export function passSignalsOn() {
  for (const signal of stopSignals) process.on(signal, stop)
  if (process.env['npm_lifecycle_event'] === undefined) return
  // npm exits on SIGHUP and SIGKILL without notifying its child process.
  const npm = process.ppid
  const checking = setInterval(() => {
    if (process.ppid === npm) return
    clearInterval(checking)
    stop('SIGTERM')
  }, checkParentEveryMs).unref()
}

/** Returns true after a signal or the exit of the parent npm. */
export const isStopping = () => stoppedBy !== undefined

function stop(signal) {
  if (!child) process.exit(statusOf(signal))
  const isFirst = stoppedBy === undefined
  stoppedBy ??= signal
  stoppedAt ??= Date.now()
  const isSecondInterrupt = signal === 'SIGINT' && Date.now() - stoppedAt > sameInterruptMs
  if (isFirst) killChildAfter(killChildAfterMs)
  else if (isSecondInterrupt) killChildAfter(killInterruptedAfterMs)
  else if (signal === 'SIGINT') return
  // Forwards the signal, because `kill` signals only this script. Ctrl-C on a terminal also signals the program
  // directly, so the program may get it twice.
  child.kill(signal)
}

function killChildAfter(ms) {
  setTimeout(() => child?.kill('SIGKILL'), ms).unref()
}

/**
 * Runs a program until it exits.
 * @param {string} command
 * @param {string[]} args
 * @param {import('node:child_process').SpawnOptions & { killAfterMs?: number }} options
 * @param {(child: import('node:child_process').ChildProcess) => void} started called with the process after its start
 * @returns {Promise<number>} its exit status
 */
export async function runChild(command, args, options, started = () => {}) {
  if (stoppedBy !== undefined) return statusOf(stoppedBy)
  const { killAfterMs: killMs = killAfterMs, ...spawnOptions } = options
  killChildAfterMs = killMs
  child = spawn(...boundToUs(command, args), spawnOptions)
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
 * Returns a command line whose program receives SIGTERM when this script exits for any reason. This works on Linux
 * only; on other systems the command line is unchanged.
 * @returns {[string, string[]]}
 */
export function boundToUs(command, args) {
  // Tested first, because the setpriv of BusyBox lacks this option.
  setprivWorks ??= spawnSync('setpriv', ['--pdeathsig', 'TERM', 'true'], { timeout: 5000 }).status === 0
  if (!setprivWorks) return [command, args]
  return ['setpriv', ['--pdeathsig', 'TERM', command, ...args]]
}
