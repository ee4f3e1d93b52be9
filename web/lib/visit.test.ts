import { expect, test } from 'vitest'
import { adIds, referrerToken, takeVisitParameters } from './visit.ts'

test('token and click ids are stored and leave the address, the rest stays', () => {
  expect(
    takeVisitParameters(new URL('https://site.test/videos/v?episode=2&token=ann&fbclid=f&ttclid=t#top')),
  ).toBe('/videos/v?episode=2#top')
  expect(referrerToken()).toBe('ann')
  expect(adIds()).toEqual({ fbclid: 'f', ttclid: 't' })
})

test('an address without them is left alone', () => {
  expect(takeVisitParameters(new URL('https://site.test/?lang=fr'))).toBeNull()
})
