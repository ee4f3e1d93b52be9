import { constants } from 'node:os'

/** Ctrl-C, a service manager, and a closed terminal. */
const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
type StopSignal = (typeof stopSignals)[number]

/** A process of the site exits at the latest this long after the first signal, whatever still runs. The whole site has 10 s. */
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

/** Stops this process as an external signal does: one of its children was asked to stop. */
export function stopThisProcess(): void {
  process.kill(process.pid, 'SIGTERM')
}

export function isStopSignal(signal: NodeJS.Signals | null): boolean {
  return stopSignals.some((each) => each === signal)
}
