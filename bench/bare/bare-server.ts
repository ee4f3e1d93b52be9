import { send } from '@fastify/send'
import Fastify from 'fastify'
import { readFileSync } from 'node:fs'
import { brotliCompressSync } from 'node:zlib'
import pg from 'pg'

/**
 * Options of the baseline, a plain Fastify server. It runs in its own process, with these options as one JSON argument.
 * `answers`: responses, each with its content type and the number of indexed look-ups that run before it is sent.
 * `files`: a folder of static files. `connections`: maximum number of database connections.
 */
export interface BareOptions {
  port: number
  answers: { path: string; file: string; type: string; queries: number }[]
  files: string
  page: string
  nativePlayerPage: string
  hls: string
  connection: pg.PoolConfig
  connections?: number
}

const options = JSON.parse(process.argv[2] ?? '') as BareOptions
const pool = new pg.Pool({ ...options.connection, max: options.connections ?? 20 })
const app = Fastify()

const one = await pool.query<{ id: string }>('SELECT id FROM videos LIMIT 1')
const values = [one.rows[0]?.id]
const lookUp = () => pool.query({ name: 'lookup', text: 'SELECT * FROM videos WHERE id = $1', values })

for (const { path, file, type, queries } of options.answers) {
  const bytes = readFileSync(file)
  app.get(path, async (_request, reply) => {
    await Promise.all(Array.from({ length: queries }, lookUp))
    reply.type(type)
    return bytes
  })
}

// Serves the same stream under two paths. So when the page switches to the second path, the browser has not cached the
// files under this path.
for (const place of ['/files/*', '/files-again/*'])
  app.get(place, async (request, reply) => {
    const { '*': path } = request.params as { '*': string }
    const { statusCode, headers, stream } = await send(request.raw, path, { root: options.files })
    return reply.code(statusCode).headers(headers).send(stream)
  })
app.get('/page', (_request, reply) => reply.type('text/html').send(readFileSync(options.page)))
app.get('/native-player', (_request, reply) =>
  reply.type('text/html').send(readFileSync(options.nativePlayerPage)),
)
// hls.js is compressed, as on the site, because its size matters on a slow connection.
const hls = brotliCompressSync(readFileSync(options.hls))
app.get('/hls.js', (_request, reply) =>
  reply
    .headers({
      'content-type': 'text/javascript',
      'content-encoding': 'br',
      'cache-control': 'max-age=31536000, immutable',
    })
    .send(hls),
)

await app.listen({ port: options.port, host: '127.0.0.1' })
