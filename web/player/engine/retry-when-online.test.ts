import { afterEach, beforeEach, expect, test, vi } from 'vitest'

const page = new EventTarget()
vi.stubGlobal('addEventListener', page.addEventListener.bind(page))
vi.stubGlobal('removeEventListener', page.removeEventListener.bind(page))
vi.stubGlobal('navigator', { onLine: true })
const { createOnlineRetry } = await import('./retry-when-online.ts')

const comeBack = () => page.dispatchEvent(new Event('online'))
let run = vi.fn<() => void>()
beforeEach(() => {
  run = vi.fn<() => void>()
  vi.useFakeTimers()
})
afterEach(() => void vi.useRealTimers())

test('runs when the connection comes back, once for each time', () => {
  const retryWhenOnline = createOnlineRetry()
  retryWhenOnline(run)
  expect(run).not.toHaveBeenCalled()
  comeBack()
  retryWhenOnline(run)
  expect(run).toHaveBeenCalledTimes(1)
})

test('runs at once where the connection has come back before the failure was told', () => {
  const retryWhenOnline = createOnlineRetry()
  comeBack()
  retryWhenOnline(run)
  expect(run).toHaveBeenCalledTimes(1)
  retryWhenOnline(run)
  expect(run).toHaveBeenCalledTimes(1)
})

test('what fails again after a return is tried twice more, a little later each time, and then no more', () => {
  const retryWhenOnline = createOnlineRetry()
  retryWhenOnline(run)
  comeBack()
  for (const [waitMs, calls] of [
    [1_000, 2],
    [4_000, 3],
  ] as const) {
    retryWhenOnline(run)
    vi.advanceTimersByTime(waitMs - 1)
    expect(run).toHaveBeenCalledTimes(calls - 1)
    vi.advanceTimersByTime(1)
    expect(run).toHaveBeenCalledTimes(calls)
  }
  retryWhenOnline(run)
  vi.advanceTimersByTime(60_000)
  expect(run).toHaveBeenCalledTimes(3)
})

test('the next return serves as often again', () => {
  const retryWhenOnline = createOnlineRetry()
  for (const calls of [2, 4]) {
    retryWhenOnline(run)
    comeBack()
    retryWhenOnline(run)
    vi.runAllTimers()
    expect(run).toHaveBeenCalledTimes(calls)
  }
})

test('a player that hears of its failure later is not left behind by another that used the return', () => {
  const neighbour = createOnlineRetry()
  const shown = createOnlineRetry()
  neighbour(() => {})
  comeBack()
  shown(run)
  expect(run).toHaveBeenCalledTimes(1)
})

test('a return from before the player does not count', () => {
  comeBack()
  createOnlineRetry()(run)
  expect(run).not.toHaveBeenCalled()
})

test('does not run once it is cancelled', () => {
  const cancel = createOnlineRetry()(run)
  cancel()
  comeBack()
  vi.runAllTimers()
  expect(run).not.toHaveBeenCalled()
})
