import { expect, test } from 'vitest'
import { safeRedirect } from './safe-redirect.ts'

const siteUrl = 'https://drama.example'

test.each(['/', '/videos/vid_1?episode=3#top', '/searchDetail/a%20b'])(
  '%j is a path of this site',
  (path) => {
    expect(safeRedirect(path, siteUrl)).toBe(path)
  },
)

test.each([
  '',
  'videos',
  '//elsewhere.example',
  '/\\elsewhere.example',
  '/\t/elsewhere.example',
  '/\n/elsewhere.example',
  '/.//elsewhere.example',
  '/a/..//elsewhere.example',
  'https://elsewhere.example/',
  'https://drama.example/',
  'javascript:alert(1)',
  `/${'x'.repeat(512)}`,
])('%j is not a path of this site', (path) => {
  expect(safeRedirect(path, siteUrl)).toBeUndefined()
})

test('encodes characters that are invalid in a header', () => {
  expect(safeRedirect('/search/ä\r\nset-cookie: a=b', siteUrl)).toBe('/search/%C3%A4set-cookie:%20a=b')
})
