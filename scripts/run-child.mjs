// Runs one child process at a time for a script, and stops it when the script receives a signal. Runs before packages are installed, so it
// imports only Node's own modules.
import { spawn, spawnSync } from 'node:child_process'
import { constants } from 'node:os'

const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP']
/** A program that runs this long after a signal is killed. The site exits sooner (server/platform/processes/stop-signals.ts). */
export const killAfterMs = 9500
const checkParentEveryMs = 250

let child
let stoppedBy

/** Returns a shell's exit status for a process that a signal terminated. */
const statusOf = (signal) => 128 + constants.signals[signal]

/** Forwards signals to the running program and starts no other one afterwards. The exit of npm counts as SIGTERM. */
export function passSignalsOn() {
  for (const signal of stopSignals) process.on(signal, stop)
  if (process.env['npm_lifecycle_event'] === undefined) return
  // npm exits on SIGHUP and SIGKILL without notifying its child.
  const npm = process.ppid
  const checking = setInterval(() => {
    if (process.ppid === npm) return
    clearInterval(checking)
    stop('SIGTERM')
  }, checkParentEveryMs).unref()
}

/** Returns true after a signal or the exit of npm. */
export const isStopping = () => stoppedBy !== undefined

function stop(signal) {
  if (!child) process.exit(statusOf(signal))
  if (stoppedBy === undefined) setTimeout(() => child?.kill('SIGKILL'), killAfterMs).unref()
  stoppedBy ??= signal
  // On a terminal the program has already received Ctrl-C; it must tolerate both, because `kill` signals only this script.
  child.kill(signal)
}

/**
 * Runs a program until it exits.
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
 * Returns a command line whose program gets SIGTERM when this script exits for any reason. On Linux only; unchanged elsewhere.
 * @returns {[string, string[]]}
 */
export function boundToUs(command, args) {
  // BusyBox's setpriv lacks this option.
  setprivWorks ??= spawnSync('setpriv', ['--pdeathsig', 'TERM', 'true'], { timeout: 5000 }).status === 0
  if (!setprivWorks) return [command, args]
  return ['setpriv', ['--pdeathsig', 'TERM', command, ...args]]
}
