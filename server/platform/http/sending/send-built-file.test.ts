import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import fastify from 'fastify'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { sendBuiltFile } from './send-built-file.ts'

const script = 'export const answer = 42\n'
const root = mkdtempSync(join(tmpdir(), 'cliffhanger-assets-'))
const server = fastify()
let url: string

beforeAll(async () => {
  mkdirSync(join(root, 'assets'))
  writeFileSync(join(root, 'secret.js'), 'secret')
  server.get('/assets/*', (request, reply) => {
    const { '*': file } = request.params as { '*': string }
    return sendBuiltFile(request, reply, root, file)
  })
  url = await server.listen({ host: '127.0.0.1', port: 0 })
})
afterAll(async () => {
  await server.close()
  rmSync(root, { recursive: true })
})

const place = (name: string) => join(root, 'assets', name)
const get = (name: string, headers: Record<string, string> = {}) =>
  server.inject({ url: `/assets/${name}`, headers })

it.each([
  ['br, gzip', 'br'],
  ['gzip, deflate', 'gzip'],
  ['br;q=0, gzip', 'gzip'],
  ['identity', undefined],
])(
  'a browser that accepts %s gets the encoding %s, and may cache the file permanently',
  async (accepted, encoding) => {
    writeFileSync(place('app-1.js'), script)
    writeFileSync(place('app-1.js.br'), brotliCompressSync(script))
    writeFileSync(place('app-1.js.gz'), gzipSync(script))
    const { statusCode, headers } = await get('app-1.js', { 'accept-encoding': accepted })
    expect(statusCode).toBe(200)
    expect(headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      vary: 'accept-encoding',
    })
    expect(headers['content-encoding']).toBe(encoding)
    const read = await fetch(`${url}/assets/app-1.js`, { headers: { 'accept-encoding': accepted } })
    expect(await read.text()).toBe(script)
  },
)

it('still serves a file to pages of an earlier release after an update has deleted it', async () => {
  writeFileSync(place('app-2.css'), 'a{}')
  await get('app-2.css')
  rmSync(place('app-2.css'))
  const { statusCode, body, headers } = await get('app-2.css')
  expect([statusCode, body, headers['content-type']]).toEqual([200, 'a{}', 'text/css; charset=utf-8'])
})

it('finds a file that was created after the first request for it', async () => {
  expect((await get('app-3.js')).statusCode).toBe(404)
  writeFileSync(place('app-3.js'), script)
  expect((await get('app-3.js')).body).toBe(script)
})

it('answers range requests', async () => {
  writeFileSync(place('app-4.js'), script)
  const { statusCode, body } = await get('app-4.js', { range: 'bytes=0-5' })
  expect([statusCode, body]).toEqual([206, 'export'])
})

it('lets the frame of a payment provider load the font', async () => {
  writeFileSync(place('font-1.woff2'), 'font')
  const { headers } = await get('font-1.woff2')
  expect(headers).toMatchObject({ 'access-control-allow-origin': '*', 'content-type': 'font/woff2' })
})

it.each([
  '..%2Fsecret.js',
  'x%2F..%2F..%2Fsecret.js',
  'app-1.js%00',
  '%2e%2e%2fsecret.js',
  '.',
  'nothing.js',
])('answers %s with an uncacheable 404', async (name) => {
  const { statusCode, body, headers } = await get(name)
  expect([statusCode, body, headers['cache-control']]).toEqual([404, '', 'no-store'])
})
