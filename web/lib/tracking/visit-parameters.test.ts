import { beforeEach, expect, test } from 'vitest'
import { adClickIds, referrerToken, storeVisitParameters } from './visit-parameters.ts'
import { stubStorage } from '#web/lib/stub-storage.ts'

let stored: Map<string, string>
beforeEach(() => {
  stored = stubStorage()
})

test('stores token and click ids and removes them from the URL', () => {
  expect(
    storeVisitParameters(new URL('https://site.test/videos/v?episode=2&token=ann&fbclid=f&ttclid=t#top')),
  ).toBe('/videos/v?episode=2#top')
  expect(referrerToken()).toBe('ann')
  expect(adClickIds()).toEqual({ fbclid: 'f', ttclid: 't' })
})

test('leaves a URL without token and click ids unchanged', () => {
  expect(storeVisitParameters(new URL('https://site.test/?lang=fr'))).toBeNull()
})

test.each([
  ['longer than 512 characters', 'x'.repeat(513)],
  ['longer than 512 characters when percent-encoded', '語'.repeat(57)],
])('removes an id that is %s from the URL without storing it', (_how, long) => {
  storeVisitParameters(new URL('https://site.test/?token=ann&fbclid=f&ttclid=t'))
  const address = new URL('https://site.test/')
  for (const parameter of ['token', 'fbclid', 'ttclid']) address.searchParams.set(parameter, long)
  expect(storeVisitParameters(address)).toBe('/')
  expect([referrerToken(), adClickIds()]).toEqual(['ann', { fbclid: 'f', ttclid: 't' }])
})

test('stores an id of 512 characters, and does not send a longer one from storage', () => {
  const longest = 'x'.repeat(512)
  storeVisitParameters(new URL(`https://site.test/?token=${longest}&fbclid=${longest}&ttclid=${longest}`))
  expect([referrerToken(), adClickIds()]).toEqual([longest, { fbclid: longest, ttclid: longest }])
  for (const key of ['referrer_token', 'fbclid', 'ttclid']) stored.set(key, `${longest}x`)
  expect([referrerToken(), adClickIds()]).toEqual([null, {}])
})
