import { afterEach, beforeEach, expect, test, vi } from 'vitest'

const page = new EventTarget()
vi.stubGlobal('addEventListener', page.addEventListener.bind(page))
vi.stubGlobal('removeEventListener', page.removeEventListener.bind(page))
vi.stubGlobal('navigator', { onLine: true })
const { followConnection } = await import('./when-back.ts')

const comeBack = () => page.dispatchEvent(new Event('online'))
let run = vi.fn<() => void>()
beforeEach(() => {
  run = vi.fn<() => void>()
  vi.useFakeTimers()
})
afterEach(() => void vi.useRealTimers())

test('runs when the connection comes back, once for each time', () => {
  const whenBack = followConnection()
  whenBack(run)
  expect(run).not.toHaveBeenCalled()
  comeBack()
  whenBack(run)
  expect(run).toHaveBeenCalledTimes(1)
})

test('runs at once where the connection has come back before the failure was told', () => {
  const whenBack = followConnection()
  comeBack()
  whenBack(run)
  expect(run).toHaveBeenCalledTimes(1)
  whenBack(run)
  expect(run).toHaveBeenCalledTimes(1)
})

test('what fails again after a return is tried twice more, a little later each time, and then no more', () => {
  const whenBack = followConnection()
  whenBack(run)
  comeBack()
  for (const [waitMs, calls] of [
    [1_000, 2],
    [4_000, 3],
  ] as const) {
    whenBack(run)
    vi.advanceTimersByTime(waitMs - 1)
    expect(run).toHaveBeenCalledTimes(calls - 1)
    vi.advanceTimersByTime(1)
    expect(run).toHaveBeenCalledTimes(calls)
  }
  whenBack(run)
  vi.advanceTimersByTime(60_000)
  expect(run).toHaveBeenCalledTimes(3)
})

test('the next return serves as often again', () => {
  const whenBack = followConnection()
  for (const calls of [2, 4]) {
    whenBack(run)
    comeBack()
    whenBack(run)
    vi.runAllTimers()
    expect(run).toHaveBeenCalledTimes(calls)
  }
})

test('a player that hears of its failure later is not left behind by another that used the return', () => {
  const neighbour = followConnection()
  const shown = followConnection()
  neighbour(() => {})
  comeBack()
  shown(run)
  expect(run).toHaveBeenCalledTimes(1)
})

test('a return from before the player does not count', () => {
  comeBack()
  followConnection()(run)
  expect(run).not.toHaveBeenCalled()
})

test('runs no more once it is called off', () => {
  const callOff = followConnection()(run)
  callOff()
  comeBack()
  vi.runAllTimers()
  expect(run).not.toHaveBeenCalled()
})
