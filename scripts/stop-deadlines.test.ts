import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { killAfterMs, killSiteAfterMs, sameInterruptMs } from './run-child.mjs'

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
const before = signals.flatMap((signal) => process.listeners(signal))

/** Loads a new copy of the module, because a copy handles the first stop signal only once. */
async function loadStopSignals() {
  vi.resetModules()
  return import('#server/platform/processes/stop-signals.ts')
}
let stopSignals: Awaited<ReturnType<typeof loadStopSignals>>

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] })
  stopSignals = await loadStopSignals()
})

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
  for (const signal of signals)
    for (const listener of process.listeners(signal))
      if (!before.includes(listener)) process.off(signal, listener)
})

/** Calls the latest signal listener without sending the signal. */
const sendSignal = (signal: NodeJS.Signals) => process.listeners(signal).at(-1)?.(signal)

const spyOnExit = () => vi.spyOn(process, 'exit').mockReturnValue(undefined as never)

test('a process stops only once, however many signals it gets; if no request is under way, it exits forcibly less than 10 s after the first signal', () => {
  const { onStopSignal, stopTimeLeftMs, stopTimeoutMs } = stopSignals
  const exit = spyOnExit()
  const stop = vi.fn<(signal: string) => void>()
  onStopSignal(stop)
  expect(stopTimeLeftMs()).toBe(Infinity)
  for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM'] as const) sendSignal(signal)
  expect(stop.mock.calls).toEqual([['SIGHUP']])
  vi.advanceTimersByTime(stopTimeoutMs - 1)
  expect(stopTimeLeftMs()).toBe(1)
  expect(exit).not.toHaveBeenCalled()
  vi.advanceTimersByTime(1)
  expect(exit.mock.calls).toEqual([[129]])
  expect(stopTimeoutMs).toBeLessThan(10_000)
})

test.each([
  ['9 s after the signal if no request is under way', 0, 9000],
  ['3 s after the last request', 20_000, 23_000],
])('the site exits forcibly %s', (_, requestsMs, exitsAtMs) => {
  const { onStopSignal, endRequestTime, siteStopTimeoutMs } = stopSignals
  const exit = spyOnExit()
  onStopSignal(() => {}, siteStopTimeoutMs)
  sendSignal('SIGTERM')
  vi.advanceTimersByTime(requestsMs)
  endRequestTime()
  vi.advanceTimersByTime(exitsAtMs - requestsMs - 1)
  expect(exit).not.toHaveBeenCalled()
  vi.advanceTimersByTime(1)
  expect(exit.mock.calls).toEqual([[143]])
})

test('a site with unfinished requests exits forcibly 34 s after the signal, a second before the script kills it', () => {
  const { onStopSignal, siteStopTimeoutMs } = stopSignals
  const exit = spyOnExit()
  onStopSignal(() => {}, siteStopTimeoutMs)
  sendSignal('SIGTERM')
  vi.advanceTimersByTime(siteStopTimeoutMs - 1)
  expect(exit).not.toHaveBeenCalled()
  vi.advanceTimersByTime(1)
  expect(exit.mock.calls).toEqual([[143]])
  expect([siteStopTimeoutMs, killSiteAfterMs]).toEqual([34_000, 35_000])
})

test('a second Ctrl-C ends a process at once; duplicates of the first Ctrl-C, and SIGTERM, do not', () => {
  const { onStopSignal, sameInterruptMs: sameMs, siteStopTimeoutMs } = stopSignals
  expect(sameMs).toBe(sameInterruptMs)
  const exit = spyOnExit()
  const stop = vi.fn<(signal: string) => void>()
  onStopSignal(stop, siteStopTimeoutMs)
  sendSignal('SIGINT')
  vi.advanceTimersByTime(sameMs)
  sendSignal('SIGINT')
  vi.advanceTimersByTime(1)
  sendSignal('SIGTERM')
  expect(exit).not.toHaveBeenCalled()
  sendSignal('SIGINT')
  expect(exit.mock.calls).toEqual([[130]])
  expect(stop).toHaveBeenCalledOnce()
})

/** Starts a program that prints a signal but does not exit, with a new copy of the script's module. */
async function runIgnoringProgram(signal: NodeJS.Signals) {
  const { passSignalsOn, runChild } = await import('./run-child.mjs')
  const children: ChildProcess[] = []
  const ignoring = `process.on('${signal}', () => console.log('heard')); setInterval(() => {}, 1000); console.log('ready')`
  const run = () =>
    runChild(process.execPath, ['-e', ignoring], { stdio: ['ignore', 'pipe', 'inherit'] }, (child) =>
      children.push(child),
    )
  passSignalsOn()
  const ended = run()
  const [child] = children
  if (!child?.stdout) throw new Error('The program has no output to read')
  const { stdout } = child
  const prints = () => once(stdout, 'data')
  await prints()
  return { child, children, ended, prints, run }
}

test("a script kills a program that ignores a signal, later than the site's own time limit but within 10 s, and starts no other program", async () => {
  const { child, children, ended, prints, run } = await runIgnoringProgram('SIGTERM')
  sendSignal('SIGTERM')
  await prints()
  const kill = vi.spyOn(child, 'kill')
  vi.advanceTimersByTime(killAfterMs - 1)
  expect(kill).not.toHaveBeenCalled()
  vi.advanceTimersByTime(1)
  expect(await ended).toBe(128 + 9)
  expect(await run()).toBe(128 + 15)
  expect(children).toHaveLength(1)
  const { stopTimeoutMs } = stopSignals
  expect([stopTimeoutMs, killAfterMs, 10_000]).toEqual(
    [stopTimeoutMs, killAfterMs, 10_000].toSorted((a, b) => a - b),
  )
})

test('a script forwards a second Ctrl-C, but not duplicates of the first Ctrl-C, and kills the program a second later', async () => {
  const { child, ended } = await runIgnoringProgram('SIGINT')
  const kill = vi.spyOn(child, 'kill')
  sendSignal('SIGINT')
  vi.advanceTimersByTime(sameInterruptMs)
  sendSignal('SIGINT')
  expect(kill.mock.calls).toEqual([['SIGINT']])
  vi.advanceTimersByTime(1)
  sendSignal('SIGINT')
  vi.advanceTimersByTime(999)
  expect(kill.mock.calls).toEqual([['SIGINT'], ['SIGINT']])
  vi.advanceTimersByTime(1)
  expect(kill.mock.lastCall).toEqual(['SIGKILL'])
  expect(await ended).toBe(128 + 9)
})
