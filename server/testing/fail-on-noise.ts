import { beforeEach, afterEach, expect, vi } from 'vitest'

// Fails a test if it calls console.error or console.warn unexpectedly. A test that expects such a call mocks the
// function itself.
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
