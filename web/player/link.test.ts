import { expect, test } from 'vitest'
import { sameAsset, withFreshPass } from './link.ts'

test('a fresh pass takes the place of the old one, anywhere in the asset', () => {
  expect(
    withFreshPass('https://site.test/media/old/asset1/v/seg1.m4s', '/media/new/asset1/master.m3u8'),
  ).toBe('https://site.test/media/new/asset1/v/seg1.m4s')
})

test("another asset's pass is of no use, and other addresses are left alone", () => {
  expect(withFreshPass('/media/old/asset1/v/seg1.m4s', '/media/new/asset2/master.m3u8')).toBe(
    '/media/old/asset1/v/seg1.m4s',
  )
  expect(withFreshPass('/other/file', '/media/new/asset2/master.m3u8')).toBe('/other/file')
  expect(sameAsset('/media/old/a/x', '/media/new/a/y')).toBe(true)
  expect(sameAsset('/media/old/a/x', '/media/new/b/y')).toBe(false)
})
