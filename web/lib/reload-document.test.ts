import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { reloadDocument } from './reload-document.ts'

class NavigationTiming {
  readonly type: string
  constructor(type: string) {
    this.type = type
  }
}

const reload = vi.fn<() => void>()
let browserEvents: EventTarget

/** Simulates a document in a browser. */
function openDocument(type: 'navigate' | 'reload', onLine = true): void {
  vi.stubGlobal('location', { reload })
  vi.stubGlobal('navigator', { onLine })
  vi.stubGlobal('PerformanceNavigationTiming', NavigationTiming)
  vi.stubGlobal('performance', { getEntriesByType: () => [new NavigationTiming(type)] })
  vi.stubGlobal('addEventListener', browserEvents.addEventListener.bind(browserEvents))
}

beforeEach(() => {
  browserEvents = new EventTarget()
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
  reload.mockClear()
})

test('reloads a document after a second', () => {
  openDocument('navigate')
  reloadDocument()
  vi.advanceTimersByTime(999)
  expect(reload).not.toHaveBeenCalled()
  vi.advanceTimersByTime(1)
  expect(reload).toHaveBeenCalledOnce()
})

test.each([
  ['a document that was reloaded', 'reload', true],
  ['a document whose browser is offline', 'navigate', false],
] as const)('reloads %s only once the browser is online again', (_name, type, onLine) => {
  openDocument(type, onLine)
  reloadDocument()
  vi.advanceTimersByTime(3_600_000)
  expect(reload).not.toHaveBeenCalled()
  browserEvents.dispatchEvent(new Event('online'))
  browserEvents.dispatchEvent(new Event('online'))
  expect(reload).toHaveBeenCalledOnce()
})
