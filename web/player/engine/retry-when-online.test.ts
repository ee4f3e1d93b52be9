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

test('retries at once when the connection is restored', () => {
  const retryWhenOnline = createOnlineRetry()
  retryWhenOnline(run)
  expect(run).not.toHaveBeenCalled()
  comeBack()
  retryWhenOnline(run)
  expect(run).toHaveBeenCalledTimes(1)
})

test('retries at once if the connection was restored before the failure was reported', () => {
  const retryWhenOnline = createOnlineRetry()
  comeBack()
  retryWhenOnline(run)
  expect(run).toHaveBeenCalledTimes(1)
  retryWhenOnline(run)
  expect(run).toHaveBeenCalledTimes(1)
})

test('retries twice more with growing delays after the connection is restored, then stops', () => {
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

test('allows the same number of retries each time the connection is restored', () => {
  const retryWhenOnline = createOnlineRetry()
  for (const calls of [2, 4]) {
    retryWhenOnline(run)
    comeBack()
    retryWhenOnline(run)
    vi.runAllTimers()
    expect(run).toHaveBeenCalledTimes(calls)
  }
})

test('also retries for a player that reports its failure later than another player', () => {
  const neighbour = createOnlineRetry()
  const shown = createOnlineRetry()
  neighbour(() => {})
  comeBack()
  shown(run)
  expect(run).toHaveBeenCalledTimes(1)
})

test('ignores a connection that was restored before the player was created', () => {
  comeBack()
  createOnlineRetry()(run)
  expect(run).not.toHaveBeenCalled()
})

test('does not retry after it is cancelled', () => {
  const cancel = createOnlineRetry()(run)
  cancel()
  comeBack()
  vi.runAllTimers()
  expect(run).not.toHaveBeenCalled()
})
