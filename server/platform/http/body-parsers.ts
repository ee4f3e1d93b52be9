import { isUtf8 } from 'node:buffer'
import type { FastifyInstance } from 'fastify'
import { Fault } from '#contract/errors.ts'

/** Accepts only JSON in UTF-8; a missing body counts as an empty one. Anything else is HTTP 415. */
export function acceptJsonOnly(app: FastifyInstance): void {
  // Rejects __proto__ and constructor.prototype as property names.
  const parseJson = app.getDefaultJsonParser('error', 'error')
  app.removeAllContentTypeParsers()
  app.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    if (body.length === 0) return done(null, undefined)
    if (!isUtf8(body)) return done(new Fault('badRequest', 'the body is not in UTF-8'))
    return void parseJson(request, body.toString('utf8'), (error, value) =>
      error ? done(new Fault('badRequest', 'the body is not JSON')) : done(null, value),
    )
  })
}

/** Parses forms of plain routes into an object of strings. */
export function acceptForms(app: FastifyInstance): void {
  app.addContentTypeParser<string>(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    (_request, body, done) => done(null, Object.fromEntries(new URLSearchParams(body))),
  )
}

/** Keeps the body of webhook events as raw bytes, over which the signature is verified. */
export function acceptRawBody(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
}

/** Accepts raw bytes only, for uploaded files. */
export function acceptBytes(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/octet-stream', { parseAs: 'buffer' }, (_request, body, done) =>
    done(null, body),
  )
}
