import { beforeEach, expect, test } from 'vitest'
import { signPass } from '#server/features/media/passes.ts'
import { alterations, readLink, writeLink } from '#server/testing/media-links.ts'
import { answer } from './check-media-links.js'

const secrets = ['the secret of links to media, once more']
const asset = 'ast_0123456789abcdef0123456789abcdef'
const end = new Date(Date.now() + 600_000)
const linkOf = (subject: string, expires = end) =>
  readLink(`/media/${signPass(secrets, asset, subject, expires)}/${asset}/`)

let asked: string[]
let kept: Map<string, Response>

beforeEach(() => {
  asked = []
  kept = new Map()
})

/** What a CDN gives its handlers. */
const edge = () => ({
  secrets,
  cache: {
    match: async (key: Request) => kept.get(key.url)?.clone(),
    put: async (key: string, response: Response) => void kept.set(key, response),
  },
  fetchOrigin: async (request: Request) => {
    asked.push(new URL(request.url).pathname)
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

test('one copy is kept for everybody, and each browser may keep it as long as its own link lives', async () => {
  for (const subject of ['usr_1', 'usr_2']) {
    const response = await get(writeLink(linkOf(subject), 'v0/00000.m4s'))
    expect([response.status, await response.text()]).toEqual([200, 'segment'])
    expect(response.headers.get('content-type')).toBe('video/iso.segment')
    expect(response.headers.get('cache-control')).toMatch(/^private, max-age=(599|600), immutable$/)
  }
  expect(asked).toHaveLength(1)
  expect([...kept.keys()]).toEqual([`https://drama.example/kept-media/${asset}/v0/00000.m4s`])
})

test('an altered, foreign or expired link is refused though the file was kept, and nobody is asked', async () => {
  await get(writeLink(linkOf('usr_1'), 'v0/00000.m4s'))
  const wrong = [...alterations(linkOf('usr_1')), { ...linkOf('usr_1'), subject: 'usr_2' }]
  const statuses = wrong.map(async (link) => (await get(writeLink(link, 'v0/00000.m4s'))).status)
  expect(new Set(await Promise.all(statuses))).toEqual(new Set([403]))
  const expired = await get(writeLink(linkOf('usr_1', new Date(Date.now() - 1000)), 'v0/00000.m4s'))
  expect([expired.status, expired.headers.get('cache-control')]).toEqual([410, 'no-store'])
  expect(asked).toHaveLength(1)
})

test('neither a part nor a refusal is kept', async () => {
  const link = linkOf('usr_1')
  expect((await get(writeLink(link, 'v0/00000.m4s'), { headers: { range: 'bytes=0-2' } })).status).toBe(206)
  expect((await get(writeLink(link, 'v0/none.m4s'))).status).toBe(404)
  expect(kept.size).toBe(0)
})

test('what is no file of an asset, such as its key, is asked of the site each time', async () => {
  const key = writeLink(linkOf('usr_1'), 'key')
  for (const path of [key, key, '/', `/kept-media/${asset}/v0/00000.m4s`]) await get(path)
  expect(asked).toHaveLength(4)
  expect(kept.size).toBe(0)
})
