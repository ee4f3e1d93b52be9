import { expect, test } from 'vitest'
import { checkPass, passExpiry, signPass } from './passes.ts'

const now = new Date('2026-03-01T12:00:00Z')
const later = new Date(now.getTime() + 60_000)

test('a link lives at most as long as the episode and ten minutes or four hours, and five minutes less at least', () => {
  expect(passExpiry(now, 90_500)).toEqual(new Date('2026-03-01T12:10:00Z'))
  expect(passExpiry(now, 299_999)).toEqual(new Date('2026-03-01T12:10:00Z'))
  expect(passExpiry(now, 300_000)).toEqual(new Date('2026-03-01T12:15:00Z'))
  expect(passExpiry(now, 5 * 3_600_000)).toEqual(new Date('2026-03-01T16:00:00Z'))
})

test('whoever comes back within five minutes is given the same link', () => {
  const end = passExpiry(now, 90_500)
  expect(passExpiry(new Date(now.getTime() + 208_000), 90_500)).toEqual(end)
  expect(passExpiry(new Date(now.getTime() + 210_000), 90_500)).not.toEqual(end)
})

test('while the secret is replaced the new one signs, and links by the old one are good until they end', () => {
  const old = signPass(['old'], 'ast_1', 'usr_1', later)
  const fresh = signPass(['new', 'old'], 'ast_1', 'usr_1', later)
  expect(checkPass(['new', 'old'], old, 'ast_1', now)).toBe('valid')
  expect(checkPass(['new'], fresh, 'ast_1', now)).toBe('valid')
  expect(checkPass(['new'], old, 'ast_1', now)).toBe('forged')
  expect(checkPass(['new', 'old'], old, 'ast_1', later)).toBe('expired')
})
