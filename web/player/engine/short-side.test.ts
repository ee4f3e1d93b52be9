import { expect, it } from 'vitest'
import { shortSide } from './short-side.ts'

it.each([
  ['an upright rendition', { width: 720, height: 1280 }, 720],
  ['a wide one', { width: 854, height: 480 }, 480],
  ['a square one', { width: 360, height: 360 }, 360],
  ['one whose playlist names no width', { width: 0, height: 480 }, 480],
])('names %s by its shorter side', (_name, level, name) => {
  expect(shortSide(level)).toBe(name)
})
