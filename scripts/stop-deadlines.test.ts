import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { onStopSignal, stopTimeLeftMs, stopTimeoutMs } from '#server/platform/processes/stop-signals.ts'
import { killAfterMs, passSignalsOn, runChild } from './run-child.mjs'

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
const before = signals.flatMap((signal) => process.listeners(signal))

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date', 'setTimeout'] }))

afterEach(() => {
  vi.useRealTimers()
  for (const signal of signals)
    for (const listener of process.listeners(signal))
      if (!before.includes(listener)) process.off(signal, listener)
})

/** Calls the latest signal listener without sending the signal. */
const sendSignal = (signal: NodeJS.Signals) => process.listeners(signal).at(-1)?.(signal)

test('a site process stops once for all signals, and exits forcibly less than 10 s after the first', () => {
  const exit = vi.spyOn(process, 'exit').mockReturnValue(undefined as never)
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

test('a script kills a program that ignores signals after the site would have exited and before 10 s, and starts no other', async () => {
  const children: ChildProcess[] = []
  const ignoring =
    "process.on('SIGTERM', () => console.log('heard')); setInterval(() => {}, 1000); console.log('ready')"
  const run = () =>
    runChild(process.execPath, ['-e', ignoring], { stdio: ['ignore', 'pipe', 'inherit'] }, (child) =>
      children.push(child),
    )
  passSignalsOn()
  const ended = run()
  const [child] = children
  if (!child?.stdout) throw new Error('The program has no output to read')
  await once(child.stdout, 'data')
  sendSignal('SIGTERM')
  await once(child.stdout, 'data')
  const kill = vi.spyOn(child, 'kill')
  vi.advanceTimersByTime(killAfterMs - 1)
  expect(kill).not.toHaveBeenCalled()
  vi.advanceTimersByTime(1)
  expect(await ended).toBe(128 + 9)
  expect(await run()).toBe(128 + 15)
  expect(children).toHaveLength(1)
  expect([stopTimeoutMs, killAfterMs, 10_000]).toEqual(
    [stopTimeoutMs, killAfterMs, 10_000].toSorted((a, b) => a - b),
  )
})
