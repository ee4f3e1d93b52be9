import { expect, test } from 'vitest'
import { shortcutFor, shortcuts } from './shortcuts.ts'

const press = (key: string, change = {}) =>
  shortcutFor({ key, ctrlKey: false, metaKey: false, altKey: false, target: null, ...change })?.label

// Node has no DOM. A key press whose target is not an Element counts as a key press on the page itself.
globalThis.Element ??= class {
  readonly localName = 'none'
} as typeof Element

test('assigns no key to two commands', () => {
  const keys = shortcuts.flatMap(({ keys: each }) => [...each])
  expect(new Set(keys).size).toBe(keys.length)
})

test('finds the command of a key in upper and lower case', () => {
  expect([' ', 'k', 'K', 'ArrowLeft', 'N', 'p', '?'].map((key) => press(key))).toEqual([
    'playPause',
    'playPause',
    'playPause',
    'back5',
    'next',
    'previous',
    'shortcuts',
  ])
})

test("ignores the browser's own key combinations, and keys without a command", () => {
  expect(press('f', { ctrlKey: true })).toBeUndefined()
  expect(press('l', { metaKey: true })).toBeUndefined()
  expect(press('x')).toBeUndefined()
})
