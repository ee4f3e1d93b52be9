import { constants } from 'node:os'

/** Sent by Ctrl-C, by a service manager, and when the terminal is closed. */
const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
type StopSignal = (typeof stopSignals)[number]

/**
 * Time after the first stop signal at which a process of the site exits, even if work is still running. The whole site
 * must stop within 10 s.
 */
export const stopTimeoutMs = 9000

let stopDeadline = Infinity

/** Calls `stop` at the first stop signal. Exits the process after `stopTimeoutMs`. */
export function onStopSignal(stop: (signal: StopSignal) => void): void {
  const ask = (signal: StopSignal) => {
    if (stopDeadline !== Infinity) return
    stopDeadline = Date.now() + stopTimeoutMs
    setTimeout(() => process.exit(128 + constants.signals[signal]), stopTimeoutMs).unref()
    stop(signal)
  }
  for (const signal of stopSignals) process.on(signal, ask)
}

/** Returns how long until this process exits by force: Infinity before a stop signal. */
export function stopTimeLeftMs(): number {
  return Math.max(0, stopDeadline - Date.now())
}

/** Stops this process like an external stop signal, because a child process has received one. */
export function stopThisProcess(): void {
  process.kill(process.pid, 'SIGTERM')
}

export function isStopSignal(signal: NodeJS.Signals | null): boolean {
  return stopSignals.some((each) => each === signal)
}
