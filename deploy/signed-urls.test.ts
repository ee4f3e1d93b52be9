import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { secondsLeft } from './edge/check-media-links.js'
import signedUrls from './nginx/signed-urls.js'
import { signedUrlCases, now, secrets } from './testing/signed-url-cases.ts'

const cases = signedUrlCases()

beforeAll(() => {
  vi.setSystemTime(now)
  vi.stubGlobal('mediaSecrets', secrets)
})
afterAll(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

const summarize = (result: number | string) => (Number(result) > 0 ? 'valid' : String(result))

test('the cases include valid, expired and forged signatures', () => {
  expect(new Set(cases.map(({ expected }) => expected))).toEqual(new Set(['valid', 'expired', 'forged']))
  expect(cases.filter(({ expected }) => expected === 'valid').map(({ what }) => what)).toEqual([
    'a valid signature',
    'a signature for any subject',
    'the previous secret',
    'expiry in the next second',
  ])
})

test.each(cases)("nginx's check of $what returns: $expected", ({ signature, asset, expected }) => {
  const request = { variables: { media_signature: signature, media_asset: asset } }
  expect(summarize(signedUrls.secondsLeft(request))).toBe(expected)
})

test.each(cases)("the edge's check of $what returns: $expected", async ({ signature, asset, expected }) => {
  expect(summarize(await secondsLeft(secrets, signature, asset, now.getTime()))).toBe(expected)
})
