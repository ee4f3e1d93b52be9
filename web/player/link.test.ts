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

test('a link of the store that was signed for the old pass goes through the site again', () => {
  const fresh = '/media/20.usr_1.new/ast_a/master.m3u8'
  const old = (asset: string) =>
    `https://store.example/films/media/${asset}/v0/00001.m4s?X-Amz-Date=1&X-Amz-Signature=ab`
  expect(withFreshPass(old('ast_a'), fresh)).toBe('/media/20.usr_1.new/ast_a/v0/00001.m4s')
  expect(withFreshPass(old('ast_b'), fresh)).toBe(old('ast_b'))
})
