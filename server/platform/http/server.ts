import cookie from '@fastify/cookie'
import swagger from '@fastify/swagger'
import Fastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type RouteShorthandOptions,
} from 'fastify'
import { Fault } from '#contract/errors.ts'
import { firstLanguage, type Language } from '#contract/languages.ts'
import type { Log } from '#server/platform/log.ts'
import { answerError } from './answer-errors.ts'
import { documentedSchema, envelopeSchema } from './envelope.ts'
import { refuseForeignOrigin, refuseNul } from './guards.ts'
import {
  Serialised,
  type AdIds,
  type Call,
  type Caller,
  type PlainRoute,
  type Route,
  type Viewer,
} from './route.ts'
import { createValidatorCompiler } from './validators.ts'

export interface HttpServerOptions {
  log: Log
  publicUrl: string
  trustProxy: number
  routes: readonly Route[]
  plainRoutes: readonly PlainRoute[]
  /** Who a request's token belongs to; null for an unknown or absent one. */
  identify(request: TokenSource): Viewer | null | Promise<Viewer | null>
  translate(language: Language, key: string, values?: Record<string, unknown>): string
}

/** Where a token may come from: the cookies, or the header of a client that has no cookies. */
export interface TokenSource {
  cookies: Record<string, string | undefined>
  headers: Record<string, string | string[] | undefined>
}

declare module 'fastify' {
  interface FastifyContextConfig {
    endpoint?: Route['endpoint']
  }
}

/** A person on a slow line may take long to send a little; nothing we take is large. */
const limits = { bodyLimit: 64 * 1024, requestTimeout: 100_000, keepAliveTimeout: 72_000 }

/**
 * The HTTP face: the contract's calls under one envelope, and the plain routes beside them.
 * Everything about transport (validation, origin checks, errors into words) happens here, once.
 */
export async function createHttpServer(options: HttpServerOptions): Promise<FastifyInstance> {
  const app = Fastify({
    ...limits,
    logger: false,
    // Forwarded headers are trusted for as many proxies as there are, no further (security.md, "Limits").
    trustProxy: (_address, hop) => hop < options.trustProxy,
    routerOptions: { maxParamLength: 512 },
  })
  const languageOf = (request: FastifyRequest) => firstLanguage(request.headers['accept-language']) ?? 'en'
  app.setValidatorCompiler(createValidatorCompiler())
  app.setErrorHandler((error: Error, request, reply) =>
    answerError({ translate: options.translate, languageOf, log: options.log }, error, request, reply),
  )
  await app.register(cookie)
  await app.register(swagger, openApiOptions())
  const secure = options.publicUrl.startsWith('https:')
  app.addHook('onRequest', (_request, reply, done) => {
    if (secure) reply.header('strict-transport-security', 'max-age=31536000')
    done()
  })
  app.addHook('onSend', setSecurityHeaders)
  for (const route of options.routes) addRoute(app, route, options, languageOf)
  app.get('/api/openapi.json', { schema: { hide: true } }, () => app.swagger())
  app.all('/api/*', { schema: { hide: true } }, () => {
    throw new Fault('noSuchCall')
  })
  await app.register(async (plain) => addPlainRoutes(plain, options, languageOf))
  return app
}

function addRoute(
  app: FastifyInstance,
  { endpoint, handle }: Route,
  options: HttpServerOptions,
  languageOf: (request: FastifyRequest) => Language,
): void {
  const unsafe = endpoint.method !== 'GET'
  const own: RouteShorthandOptions = {
    config: { endpoint },
    schema: {
      summary: endpoint.summary,
      ...(endpoint.query ? { querystring: endpoint.query } : {}),
      ...(endpoint.body && unsafe ? { body: endpoint.body } : {}),
      response: { 200: envelopeSchema(endpoint) },
    },
    preValidation: async (request) => {
      if (unsafe) refuseForeignOrigin(request, options.publicUrl)
      if (unsafe && request.body === undefined) request.body = {}
      refuseNul(request)
    },
  }
  app.route({
    method: endpoint.method,
    url: endpoint.path,
    ...own,
    handler: async (request, reply) => {
      const viewer = await options.identify(request)
      const answer = await handle(createCall(request, reply, viewer, languageOf(request)))
      reply.header('cache-control', 'no-store')
      if (!(answer instanceof Serialised)) return { code: 200, ...answer }
      reply.type('application/json; charset=utf-8')
      return answer.bytes
    },
  })
}

function createCall(
  request: FastifyRequest,
  reply: FastifyReply,
  viewer: Viewer | null,
  language: Language,
): Call {
  return {
    // Validated by the endpoint's schemas just before.
    query: request.query as Call['query'],
    body: request.body as Call['body'],
    viewer,
    language,
    idempotencyKey: header(request, 'idempotency-key'),
    ip: request.ip,
    userAgent: header(request, 'user-agent') ?? '',
    adIds: () => adIdsOf(request),
    setHeader: (name, value) => void reply.header(name, value),
    serialise: (answer: object) =>
      new Serialised(Buffer.from(String(reply.serializeInput({ code: 200, ...answer }, '200')))),
  }
}

function header(request: FastifyRequest, name: string): string | undefined {
  const value = request.headers[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** A click id longer than 512 characters is nobody's (security.md, "Redirects"). */
function adIdsOf(request: FastifyRequest): AdIds {
  const given = { ...Object(request.query), ...Object(request.body) } as Record<string, unknown>
  const bounded = (value: unknown) =>
    typeof value === 'string' && value !== '' && value.length <= 512 ? value : undefined
  return {
    referrerToken: bounded(header(request, 'x-referrer-token')),
    fbclid: bounded(header(request, 'x-fbclid')) ?? bounded(given.fbclid),
    ttclid: bounded(header(request, 'x-ttclid')) ?? bounded(given.ttclid),
  }
}

async function addPlainRoutes(
  plain: FastifyInstance,
  options: HttpServerOptions,
  languageOf: (request: FastifyRequest) => Language,
): Promise<void> {
  const callerOf = async (request: FastifyRequest, reply: FastifyReply): Promise<Caller> =>
    createCall(request, reply, await options.identify(request), languageOf(request))
  const add = (app: FastifyInstance, { method, path, handle }: PlainRoute) =>
    app.route({
      method,
      url: path,
      schema: { hide: true },
      handler: async (request, reply) => handle(request, reply, () => callerOf(request, reply)),
    })
  plain.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    (_request, body, done) => done(null, Object.fromEntries(new URLSearchParams(String(body)))),
  )
  await plain.register(async (raw) => {
    // Signed notifications are verified over the bytes as they came.
    raw.removeAllContentTypeParsers()
    raw.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
    for (const route of options.plainRoutes.filter(({ body }) => body === 'raw')) add(raw, route)
  })
  for (const route of options.plainRoutes.filter(({ body }) => body !== 'raw')) add(plain, route)
}

function setSecurityHeaders(
  _request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
  done: (error: null, payload: unknown) => void,
) {
  reply
    .header('x-content-type-options', 'nosniff')
    .header('referrer-policy', 'strict-origin-when-cross-origin')
  done(null, payload)
}

function openApiOptions() {
  return {
    openapi: { openapi: '3.1.0', info: { title: 'Cliffhanger', version: '1' } },
    transform: ({
      schema,
      url,
      route,
    }: {
      schema: object
      url: string
      route: { config?: { endpoint?: Route['endpoint'] } }
    }) => {
      const endpoint = route.config?.endpoint
      return { schema: endpoint ? { ...schema, response: { 200: documentedSchema(endpoint) } } : schema, url }
    },
  }
}
