import { beforeEach, expect, test } from 'vitest'
import { signMediaUrl } from '#server/features/media/signed-urls.ts'
import { tamperedLinks, parseMediaLink, formatMediaLink } from '#server/testing/media/media-links.ts'
import { answer } from './check-media-links.js'

const secrets = ['the secret of links to media, once more']
const asset = 'ast_0123456789abcdef0123456789abcdef'
const now = Date.parse('2026-02-03T04:05:06Z')
const end = new Date(now + 600_000)
const linkOf = (subject: string, expires = end) =>
  parseMediaLink(`/media/${signMediaUrl(secrets, asset, subject, expires)}/${asset}/`)

let requestedPaths: string[]
let cachedResponses: Map<string, Response>

beforeEach(() => {
  requestedPaths = []
  cachedResponses = new Map()
})

/** Returns the environment of a CDN's handlers. */
const edge = () => ({
  secrets,
  now: () => now,
  cache: {
    match: async (key: Request) => cachedResponses.get(key.url)?.clone(),
    put: async (key: string, response: Response) => void cachedResponses.set(key, response),
  },
  fetchOrigin: async (request: Request) => {
    requestedPaths.push(new URL(request.url).pathname)
    const isPart = request.headers.has('range')
    if (request.url.endsWith('none.m4s')) return new Response(null, { status: 404 })
    return new Response(isPart ? 'seg' : 'segment', {
      status: isPart ? 206 : 200,
      headers: { 'cache-control': 'private, max-age=1', 'content-type': 'video/iso.segment' },
    })
  },
})
const get = (path: string, init: RequestInit = {}) =>
  answer(new Request(`https://drama.example${path}`, init), edge())

test('caches one copy for all viewers; each browser may cache the file until the viewer’s URL expires', async () => {
  for (const subject of ['usr_1', 'usr_2']) {
    const response = await get(formatMediaLink(linkOf(subject), 'v0/00000.m4s'))
    expect([response.status, await response.text()]).toEqual([200, 'segment'])
    expect(response.headers.get('content-type')).toBe('video/iso.segment')
    expect(response.headers.get('cache-control')).toBe('private, max-age=600, immutable')
  }
  expect(requestedPaths).toHaveLength(1)
  expect([...cachedResponses.keys()]).toEqual([`https://drama.example/media/kept/${asset}/v0/00000.m4s`])
})

test('refuses an altered or expired URL of a cached file without a request to the site', async () => {
  await get(formatMediaLink(linkOf('usr_1'), 'v0/00000.m4s'))
  const forgedLinks = [...tamperedLinks(linkOf('usr_1')), { ...linkOf('usr_1'), subject: 'usr_2' }]
  const statuses = forgedLinks.map(async (link) => (await get(formatMediaLink(link, 'v0/00000.m4s'))).status)
  expect(new Set(await Promise.all(statuses))).toEqual(new Set([403]))
  const expired = await get(formatMediaLink(linkOf('usr_1', new Date(now - 1000)), 'v0/00000.m4s'))
  expect([expired.status, expired.headers.get('cache-control')]).toEqual([410, 'no-store'])
  expect(requestedPaths).toHaveLength(1)
})

test('does not cache partial responses or errors', async () => {
  const link = linkOf('usr_1')
  expect((await get(formatMediaLink(link, 'v0/00000.m4s'), { headers: { range: 'bytes=0-2' } })).status).toBe(
    206,
  )
  expect((await get(formatMediaLink(link, 'v0/none.m4s'))).status).toBe(404)
  expect(cachedResponses.size).toBe(0)
})

test('requests paths that are not media files, such as the key of an asset, from the site each time', async () => {
  const key = formatMediaLink(linkOf('usr_1'), 'key')
  for (const path of [key, key, '/']) await get(path)
  expect(requestedPaths).toHaveLength(3)
  expect(cachedResponses.size).toBe(0)
})

test('returns 404 for a path with encoded characters, and never serves a cached asset for the URL of another asset', async () => {
  const other = 'ast_ffffffffffffffffffffffffffffffff'
  await get(`/media/${signMediaUrl(secrets, other, 'usr_1', end)}/${other}/v0/00000.m4s`)
  const open = formatMediaLink(linkOf('usr_1'), '')
  for (const path of [
    `${open}%252e%252e/${other}/v0/00000.m4s`,
    `${open}%252E%252e%252f${other}/v0/00000.m4s`,
    `${open}..%2f${other}/v0/00000.m4s`,
    `${open}..%5c${other}/v0/00000.m4s`,
    `${open}v0/%E0%A4%A.m4s`,
    `${open}v0/%zz.m4s`,
    `${open}v0/%30.m4s`,
    `/%6dedia/kept/${other}/v0/00000.m4s`,
  ]) {
    const { status, headers } = await get(path)
    expect([status, headers.get('cache-control')], path).toEqual([404, 'no-store'])
  }
  for (const path of [`${open}../${other}/v0/00000.m4s`, `${open}..\\${other}/v0/00000.m4s`])
    expect((await get(path)).status, path).toBe(403)
  expect(requestedPaths).toHaveLength(1)
  expect(cachedResponses.size).toBe(1)
})

test('does not cache captions, which may change, or responses that the site marks as private', async () => {
  const link = linkOf('usr_1')
  await get(formatMediaLink(link, 'captions/en.vtt'))
  const fetchOrigin = async () => new Response('#EXTM3U', { headers: { 'x-accel-expires': '0' } })
  const playlist = new Request(`https://drama.example${formatMediaLink(link, 'v0/index.m3u8')}`)
  expect(await (await answer(playlist, { ...edge(), fetchOrigin })).text()).toBe('#EXTM3U')
  expect(cachedResponses.size).toBe(0)
})

test('serves nothing under the path of the cache keys', async () => {
  await get(formatMediaLink(linkOf('usr_1'), 'v0/00000.m4s'))
  for (const key of cachedResponses.keys()) {
    const { status } = await get(new URL(key).pathname)
    expect(status).toBe(404)
  }
  expect(requestedPaths).toHaveLength(1)
})

test.each([
  [304, /^private, max-age=\d+, immutable$/],
  [416, /^no-store$/],
])('a cached %i response is never sent as public', async (status, caching) => {
  const cache = {
    ...edge().cache,
    match: async () =>
      new Response(null, { status, headers: { 'cache-control': 'public, max-age=2592000' } }),
  }
  const path = formatMediaLink(linkOf('usr_1'), 'v0/00000.m4s')
  const response = await answer(new Request(`https://drama.example${path}`), { ...edge(), cache })
  expect([response.status, response.headers.get('cache-control')]).toEqual([
    status,
    expect.stringMatching(caching),
  ])
})
