import { constants } from 'node:os'

/** Sent by Ctrl-C, by a service manager, and when the terminal is closed. */
const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
type StopSignal = (typeof stopSignals)[number]

/**
 * Time after the first stop signal at which a process of the site exits, even if work is still running. A process
 * without requests under way must stop within 10 s.
 */
export const stopTimeoutMs = 9000
/**
 * Like `stopTimeoutMs`, for a process that first finishes its requests: 30 s for the requests (close-site.ts), and the
 * rest for the database.
 */
export const siteStopTimeoutMs = 34_000
/** Minimum time to close the database once the last request is finished. */
const closeMs = 3000
/**
 * A SIGINT within this time after the first stop signal is part of the same Ctrl-C. The terminal sends the signal to
 * every process, and npm and the start script forward it too.
 */
export const sameInterruptMs = 2000

let firstSignal: { signal: StopSignal; at: number } | undefined
let exitTimer: NodeJS.Timeout | undefined
let stopDeadline = Infinity

/**
 * Calls `stop` at the first stop signal. Exits the process after `timeoutMs`, or at once when Ctrl-C is pressed again.
 * A second SIGTERM does not exit at once, because service managers send it to several processes, which forward it.
 */
export function onStopSignal(stop: (signal: StopSignal) => void, timeoutMs = stopTimeoutMs): void {
  const ask = (signal: StopSignal) => {
    if (firstSignal) {
      if (signal === 'SIGINT' && Date.now() - firstSignal.at > sameInterruptMs) process.exit(statusOf(signal))
      return
    }
    firstSignal = { signal, at: Date.now() }
    exitAt(firstSignal.at + timeoutMs, signal)
    stop(signal)
  }
  for (const signal of stopSignals) process.on(signal, ask)
}

/** Shortens the time until this process exits by force, since no request is under way any more. */
export function endRequestTime(): void {
  if (firstSignal) exitAt(Math.max(firstSignal.at + stopTimeoutMs, Date.now() + closeMs), firstSignal.signal)
}

function exitAt(deadline: number, signal: StopSignal): void {
  clearTimeout(exitTimer)
  stopDeadline = deadline
  exitTimer = setTimeout(() => process.exit(statusOf(signal)), deadline - Date.now()).unref()
}

/** Returns the exit status that a shell reports for a process which a signal has terminated. */
const statusOf = (signal: StopSignal) => 128 + constants.signals[signal]

/** Returns how long until this process exits by force: Infinity before a stop signal. */
export function stopTimeLeftMs(): number {
  return Math.max(0, stopDeadline - Date.now())
}

/** Stops this process as a stop signal would, because a child process has received a stop signal. */
export function stopThisProcess(): void {
  process.kill(process.pid, 'SIGTERM')
}

export function isStopSignal(signal: NodeJS.Signals | null): boolean {
  return stopSignals.some((each) => each === signal)
}
