import { createHmac } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { verifyMediaUrl, issueSignedUrls, signatureExpiry, signMediaUrl } from './signed-urls.ts'

const now = new Date('2026-03-01T12:00:00Z')
const later = new Date(now.getTime() + 60_000)

test("a link is valid for the episode's duration plus ten minutes, at most four hours, rounded down to a multiple of five minutes", () => {
  expect(signatureExpiry(now, 90_500)).toEqual(new Date('2026-03-01T12:10:00Z'))
  expect(signatureExpiry(now, 299_999)).toEqual(new Date('2026-03-01T12:10:00Z'))
  expect(signatureExpiry(now, 300_000)).toEqual(new Date('2026-03-01T12:15:00Z'))
  expect(signatureExpiry(now, 230 * 60_000 - 1)).toEqual(new Date('2026-03-01T15:55:00Z'))
  expect(signatureExpiry(now, 230 * 60_000)).toEqual(new Date('2026-03-01T16:00:00Z'))
  expect(signatureExpiry(now, 5 * 3_600_000)).toEqual(new Date('2026-03-01T16:00:00Z'))
})

test('links whose expiry is rounded to the same time are the same', () => {
  const end = signatureExpiry(now, 90_500)
  expect(signatureExpiry(new Date(now.getTime() + 208_000), 90_500)).toEqual(end)
  expect(signatureExpiry(new Date(now.getTime() + 210_000), 90_500)).not.toEqual(end)
})

test('while a secret is replaced, the new secret signs, and links signed with the old secret remain valid', () => {
  const old = signMediaUrl(['old'], 'ast_1', 'usr_1', later)
  const fresh = signMediaUrl(['new', 'old'], 'ast_1', 'usr_1', later)
  expect(verifyMediaUrl(['new', 'old'], old, 'ast_1', now)).toBe('valid')
  expect(verifyMediaUrl(['new'], fresh, 'ast_1', now)).toBe('valid')
  expect(verifyMediaUrl(['new'], old, 'ast_1', now)).toBe('forged')
  expect(verifyMediaUrl(['new', 'old'], old, 'ast_1', later)).toBe('expired')
})

test('a signature contains its expiry in seconds, its subject and a MAC that can be verified with the secret', () => {
  const mac = createHmac('sha256', 'secret').update('ast_1|usr_1|1772366460').digest('base64url')
  expect(signMediaUrl(['secret', 'old'], 'ast_1', 'usr_1', new Date(later.getTime() + 999))).toBe(
    `1772366460.usr_1.${mac}`,
  )
})

describe('a signature', () => {
  const signature = signMediaUrl(['secret'], 'ast_1', 'usr_1', later)
  const [expires = '', subject = '', mac = ''] = signature.split('.')
  const check = (text: string, asset = 'ast_1', at = now) => verifyMediaUrl(['secret'], text, asset, at)

  test('is valid until just before its expiry', () => {
    expect(check(signature, 'ast_1', new Date(later.getTime() - 1))).toBe('valid')
    expect(check(signature, 'ast_1', later)).toBe('expired')
  })

  test('is invalid for another asset', () => {
    expect(check(signature, 'ast_2')).toBe('forged')
  })

  test.each([
    ['another expiry', `${Number(expires) + 1}.${subject}.${mac}`],
    ['an expiry with a leading zero', `0${expires}.${subject}.${mac}`],
    ['another subject', `${expires}.usr_2.${mac}`],
    ['another MAC', `${expires}.${subject}.${mac.startsWith('A') ? 'B' : 'A'}${mac.slice(1)}`],
    ['a shorter MAC', `${expires}.${subject}.${mac.slice(0, -1)}`],
    ['a longer MAC', `${signature}A`],
    ['no MAC', `${expires}.${subject}.`],
    ['fewer parts', `${expires}.${subject}`],
    ['one part', expires],
    ['more parts', `${signature}.`],
    ['nothing', ''],
  ])('is invalid with %s', (_, text) => {
    expect(check(text)).toBe('forged')
    expect(check(text, 'ast_1', new Date(8.64e15))).toBe('forged')
  })

  test('is invalid if the site has no secret', () => {
    expect(verifyMediaUrl([], signature, 'ast_1', now)).toBe('forged')
  })
})

test('all links of an episode have the same signature for its folder', () => {
  const asset = { folder: 'ast_1-1', duration_ms: 300_000 }
  const { expires, link } = issueSignedUrls(['secret', 'old'], asset, 'usr_1', now)
  expect(expires).toEqual(signatureExpiry(now, 300_000))
  const signature = signMediaUrl(['secret'], 'ast_1-1', 'usr_1', expires)
  expect(link('master.m3u8')).toBe(`/media/${signature}/ast_1-1/master.m3u8`)
  expect(link('captions/en.vtt')).toBe(`/media/${signature}/ast_1-1/captions/en.vtt`)
})

test('the links of an episode of unknown duration are valid for ten minutes', () => {
  const { expires } = issueSignedUrls(['secret'], { folder: 'ast_1-1', duration_ms: null }, 'usr_1', now)
  expect(expires).toEqual(signatureExpiry(now, 0))
})
