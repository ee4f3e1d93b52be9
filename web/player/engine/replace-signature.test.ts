import { expect, test } from 'vitest'
import { isSameAsset, withFreshSignature } from './replace-signature.ts'

test('replaces an old signature in the URL of a file of the same asset', () => {
  expect(
    withFreshSignature('https://site.test/media/old/asset1/v/seg1.m4s', '/media/new/asset1/master.m3u8'),
  ).toBe('https://site.test/media/new/asset1/v/seg1.m4s')
})

test("ignores another asset's signature and leaves other URLs unchanged", () => {
  expect(withFreshSignature('/media/old/asset1/v/seg1.m4s', '/media/new/asset2/master.m3u8')).toBe(
    '/media/old/asset1/v/seg1.m4s',
  )
  expect(withFreshSignature('/other/file', '/media/new/asset2/master.m3u8')).toBe('/other/file')
  expect(isSameAsset('/media/old/a/x', '/media/new/a/y')).toBe(true)
  expect(isSameAsset('/media/old/a/x', '/media/new/b/y')).toBe(false)
})

test('turns a link to the bucket into a link to the site with the fresh signature', () => {
  const fresh = '/media/20.usr_1.new/ast_a/master.m3u8'
  const old = (asset: string) =>
    `https://store.example/films/media/${asset}/v0/00001.m4s?X-Amz-Date=1&X-Amz-Signature=ab`
  expect(withFreshSignature(old('ast_a'), fresh)).toBe('/media/20.usr_1.new/ast_a/v0/00001.m4s')
  expect(withFreshSignature(old('ast_b'), fresh)).toBe(old('ast_b'))
})
