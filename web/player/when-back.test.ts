import { beforeEach, expect, test, vi } from 'vitest'

const page = new EventTarget()
vi.stubGlobal('addEventListener', page.addEventListener.bind(page))
vi.stubGlobal('removeEventListener', page.removeEventListener.bind(page))
vi.stubGlobal('navigator', { onLine: true })
const { followConnection } = await import('./when-back.ts')

const comeBack = () => page.dispatchEvent(new Event('online'))
let run = vi.fn<() => void>()
beforeEach(() => (run = vi.fn<() => void>()))

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
  expect(run).not.toHaveBeenCalled()
})
