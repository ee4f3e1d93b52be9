import { expect, it } from 'vitest'
import { shortSide } from './short-side.ts'

it.each([
  ['an upright rendition', { width: 720, height: 1280 }, 720],
  ['a wide rendition', { width: 854, height: 480 }, 480],
  ['a square rendition', { width: 360, height: 360 }, 360],
  ['a rendition without a known width', { width: 0, height: 480 }, 480],
])('names %s by its shorter side', (_name, level, name) => {
  expect(shortSide(level)).toBe(name)
})
