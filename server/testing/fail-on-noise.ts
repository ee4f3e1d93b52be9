import { beforeEach, afterEach, expect, vi } from 'vitest'

// Fails a test on an unexpected console.error or console.warn. A test that provokes one mocks it itself.
beforeEach(() => {
  vi.spyOn(console, 'error').mockImplementation(fail('console.error'))
  vi.spyOn(console, 'warn').mockImplementation(fail('console.warn'))
})

afterEach(() => {
  vi.restoreAllMocks()
  const messages = consoleMessages.splice(0)
  expect(messages, 'nothing is written to the console').toEqual([])
})

const consoleMessages: string[] = []

function fail(name: string) {
  return (...parts: unknown[]) => {
    consoleMessages.push(
      `${name}: ${parts.map((part) => (part instanceof Error ? part.stack : String(part))).join(' ')}`,
    )
  }
}
