import { Readable } from 'node:stream'
import cookie from '@fastify/cookie'
import Fastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type RouteShorthandOptions,
} from 'fastify'
import { Fault, Refusal } from '#contract/errors.ts'
import type { Endpoint } from '#contract/endpoint.ts'
import type { Language, OfferedLanguages } from '#contract/languages.ts'
import { isAllowed } from '#contract/studio/roles.ts'
import { randomHex } from '#server/platform/ids.ts'
import type { Log } from '#server/platform/log.ts'
import { sendErrorResponse, overrideNodeRefusals, answerMalformedRequest } from './error-responses.ts'
import { responseLanguage, errorLanguage, requestLanguage, hasAcceptedLanguage } from './response-language.ts'
import { createCall } from './create-call.ts'
import { envelopeSchema } from './envelope.ts'
import {
  toRequestHook,
  checkRoutes,
  isApiRoute,
  refuseDuplicateHeaders,
  refuseForeignOrigin,
  refuseMissingHost,
  refuseUnreadable,
  refuseUnreadableUrl,
  normalizeBodyEmail,
} from './request-guards.ts'
import { enforceRateLimits, type RateLimitOptions } from './limits/rate-limit.ts'
import { limitConnections, type ConnectionLimits } from './limits/limit-connections.ts'
import { enforceMaintenanceMode, type MaintenanceMode } from './maintenance-mode.ts'
import { describeApi } from './open-api.ts'
import { acceptBytes, acceptForms, acceptJsonOnly, acceptRawBody } from './body-parsers.ts'
import {
  Serialised,
  Streamed,
  type BytesRoute,
  type Call,
  type FindViewer,
  type Operator,
  type OperatorCall,
  type OperatorRoute,
  type PlainRoute,
  type Route,
  type Viewer,
} from './route.ts'
import { reportRequests, routeOf, runAsRequests, type RequestReports } from './report-requests.ts'
import { sendBounded } from './sending/send-bounded.ts'
import { createSerialiserCompiler } from './serialisers.ts'
import { createValidatorCompiler } from './request-validation.ts'

export interface HttpServerOptions extends RateLimitOptions, RequestReports {
  log: Log
  publicUrl: string
  trustProxy: number
  resourceLimits: ConnectionLimits
  routes: readonly Route[]
  operatorRoutes?: readonly OperatorRoute[]
  bytesRoutes?: readonly BytesRoute[]
  plainRoutes: readonly PlainRoute[]
  /** Refuses viewers' requests while maintenance mode is on. */
  maintenanceMode?: MaintenanceMode
  /** Returns the operator that a request's cookie belongs to. */
  identifyOperator?(request: TokenSource): Promise<Operator | null>
  /** Returns the viewer that a request's token belongs to; null for an unknown or absent one. */
  identify(request: TokenSource): Viewer | null | Promise<Viewer | null>
  /** Like `identify`, but only from memory; undefined if the session must be looked up. */
  identifyFromMemory?(request: TokenSource): Viewer | undefined
  /** Removes a viewer from memory: a call may have ended their session. */
  forgetViewer?(viewer: Viewer): void
  /** Languages in which requests to a URL may be answered. */
  offeredLanguages(url: string): OfferedLanguages
  /** The language stored with a user, or null. */
  storedLanguage(viewer: Viewer): Promise<Language | null>
  translate(language: Language, key: string, values?: Record<string, unknown>): string
}

/** Sources of a token: the cookies, or the header of a client without cookies. */
export interface TokenSource {
  cookies: Record<string, string | undefined>
  headers: Record<string, string | string[] | undefined>
}

/** Slow clients may take long to send a small body. The few endpoints that accept larger bodies set their own limit. */
const limits = { bodyLimit: 64 * 1024, requestTimeout: 100_000, keepAliveTimeout: 72_000 }

/** Identifies the caller and checks their rate limit. */
type OpenViewer = (request: FastifyRequest) => ReturnType<FindViewer>
/** Identifies the caller, checks their rate limit and determines the language. */
type OpenCall = (request: FastifyRequest, reply: FastifyReply) => Promise<Call>

/**
 * Creates the HTTP server: the contract's calls, which respond in one envelope, and the plain routes. Everything about
 * transport (validation, origin checks, limits, error responses) is done here, once.
 */
export async function createHttpServer(options: HttpServerOptions): Promise<FastifyInstance> {
  const { log, translate } = options
  const languageOf = (request: FastifyRequest) => errorLanguage(request, options)
  const languageOfRequest = (request: FastifyRequest) => requestLanguage(request, options)
  const errorContext = { translate, languageOf, requestLanguage: languageOfRequest, log }
  const app = Fastify({
    ...limits,
    logger: false,
    requestIdHeader: false,
    genReqId: ({ headers }) => readRequestId(headers['x-request-id']) ?? randomHex(),
    // Requests that arrive during the shutdown are answered like any other: Fastify's own refusal has neither envelope
    // nor Retry-After.
    return503OnClosing: false,
    http: { requireHostHeader: false },
    // Forwarded headers are trusted for the configured number of proxies only.
    trustProxy: options.trustProxy > 0 && ((_address, hop) => hop < options.trustProxy),
    routerOptions: { maxParamLength: 512 },
    frameworkErrors: (error, request, reply) => void sendErrorResponse(errorContext, error, request, reply),
    clientErrorHandler: (error, socket) => answerMalformedRequest(errorContext, error, socket),
  })
  overrideNodeRefusals(errorContext, app.server)
  endConnectionsOnClose(app)
  runAsRequests(app)
  if (options.logCalls || options.observeCall) reportRequests(app, options)
  app.setValidatorCompiler(createValidatorCompiler())
  app.setSerializerCompiler(createSerialiserCompiler())
  app.setErrorHandler((error: Error, request, reply) => {
    if (error instanceof Refusal) options.observeRefusal?.({ route: routeOf(request), reason: error.reason })
    return sendErrorResponse(errorContext, error, request, reply)
  })
  app.setNotFoundHandler(() => {
    throw new Fault('unknownEndpoint')
  })
  acceptJsonOnly(app)
  limitConnections(app, options.resourceLimits, options.trustProxy)
  addHeaders(app, options.publicUrl.startsWith('https:'))
  await app.register(cookie)
  const refuseTooMany = enforceRateLimits(app, options)
  if (options.maintenanceMode) enforceMaintenanceMode(app, options.maintenanceMode, languageOfRequest)
  checkRoutes(app, () => true, refuseMissingHost)
  checkRoutes(app, () => true, refuseDuplicateHeaders)
  checkRoutes(app, isApiRoute, ({ url }) => refuseUnreadableUrl(url))
  const openViewer: OpenViewer = (request) => {
    const count = (viewer: Viewer | null) => {
      refuseTooMany(request, viewer)
      return viewer
    }
    const viewer = options.identify(request)
    return viewer instanceof Promise ? viewer.then(count) : count(viewer)
  }
  const openCallBy =
    (open: OpenViewer): OpenCall =>
    async (request, reply) => {
      const viewer = await open(request)
      return createCall(request, reply, viewer, await responseLanguage(request, viewer, options))
    }
  const openCall = openCallBy(openViewer)
  const openCallUncounted = openCallBy((request) => options.identify(request))
  const answerCall = async (
    { endpoint, handle, handleRemembered }: Route,
    request: FastifyRequest,
    reply: FastifyReply,
  ) => {
    // A GET returns texts in the viewer's stored language if the request names none, so the viewer is looked up then.
    const needsNoStoredLanguage = endpoint.method !== 'GET' || hasAcceptedLanguage(request, options)
    const viewer = needsNoStoredLanguage ? options.identifyFromMemory?.(request) : undefined
    if (!handleRemembered || !viewer) {
      const call = await openCall(request, reply)
      const mayEndSession = call.viewer !== null && endpoint.method !== 'GET' && !handleRemembered
      return mayEndSession
        ? handle(call).finally(() => call.viewer && options.forgetViewer?.(call.viewer))
        : handle(call)
    }
    refuseTooMany(request, viewer)
    const answer = await handleRemembered(createCall(request, reply, viewer, languageOfRequest(request)))
    return answer ?? openCallUncounted(request, reply).then(handle)
  }
  // A beacon needs the viewer only to label its event, so the viewer from memory is enough.
  const openRememberedViewer: OpenViewer = (request) => {
    const viewer = options.identifyFromMemory?.(request)
    if (!viewer) return openViewer(request)
    refuseTooMany(request, viewer)
    return viewer
  }
  const openOperatorCall = async (request: FastifyRequest, reply: FastifyReply): Promise<OperatorCall> => {
    const operator = (await options.identifyOperator?.(request)) ?? null
    refuseTooMany(request, operator && { userId: operator.id })
    const language = await responseLanguage(request, null, options)
    return { ...createCall(request, reply, null, language), operator }
  }
  for (const route of options.routes)
    addRoute(app, route.endpoint, options.publicUrl, (request, reply) => answerCall(route, request, reply))
  const { operatorRoutes = [], bytesRoutes = [] } = options
  // Larger bodies are not read before the operator is identified.
  const requireOperator = async (request: FastifyRequest) => {
    if (!(await options.identifyOperator?.(request))) throw new Refusal('signInRequired')
  }
  for (const { endpoint, handle } of operatorRoutes)
    addRoute(
      app,
      endpoint,
      options.publicUrl,
      (request, reply) => openOperatorCall(request, reply).then(handle),
      endpoint.maxBodyBytes === undefined
        ? {}
        : { bodyLimit: endpoint.maxBodyBytes, preParsing: requireOperator },
    )
  // A buffer is shared by all clients; a string would be copied for each slow reader.
  let document: Buffer | undefined
  app.get('/api/openapi.json', (_request, reply) => {
    document ??= Buffer.from(
      JSON.stringify(
        describeApi({ ...options, routes: [...options.routes, ...operatorRoutes], bytesRoutes }),
      ),
    )
    return reply.type('application/json; charset=utf-8').send(document)
  })
  await app.register(async (plain) =>
    addPlainRoutes(plain, options.plainRoutes, openCall, openRememberedViewer),
  )
  await app.register(async (raw) => {
    acceptBytes(raw)
    for (const route of bytesRoutes) addBytesRoute(raw, route, options.publicUrl, openOperatorCall)
  })
  app.all('/api/*', () => {
    throw new Fault('unknownEndpoint')
  })
  return app
}

const requestIdPattern = /^[\w.-]{1,64}$/

/** Returns the request id set by a proxy in front; undefined for any other text. */
function readRequestId(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' && requestIdPattern.test(header) ? header : undefined
}

/**
 * While the server shuts down, closes each connection after its response. Node would keep the connection alive, and the
 * shutdown would wait for it.
 */
function endConnectionsOnClose(app: FastifyInstance): void {
  let closing = false
  app.addHook('preClose', (done) => {
    closing = true
    done()
  })
  app.addHook('onResponse', (request, _reply, done) => {
    if (closing) request.raw.socket.end()
    done()
  })
}

type Answer = { info: unknown } | { data: unknown } | Serialised | Streamed

function addRoute(
  app: FastifyInstance,
  endpoint: Endpoint,
  publicUrl: string,
  answerTo: (request: FastifyRequest, reply: FastifyReply) => Promise<Answer>,
  more: RouteShorthandOptions = {},
): void {
  const unsafe = endpoint.method !== 'GET'
  const prepare = (request: FastifyRequest) => {
    Object.assign(Object(request.query), request.params)
    if (!unsafe) return
    refuseForeignOrigin(request, publicUrl)
    if (request.body === undefined) request.body = {}
    refuseUnreadable(request.body)
    normalizeBodyEmail(request.body)
  }
  const own: RouteShorthandOptions = {
    ...more,
    schema: {
      ...(endpoint.query ? { querystring: endpoint.query } : {}),
      ...(endpoint.body && unsafe ? { body: endpoint.body } : {}),
      response: { 200: envelopeSchema(endpoint) },
    },
    ...(endpoint.path.includes(':') || unsafe ? { preValidation: toRequestHook(prepare) } : {}),
  }
  app.route({
    method: endpoint.method,
    url: endpoint.path,
    ...own,
    handler: async (request, reply) => {
      const answer = await answerTo(request, reply)
      reply.header('cache-control', 'no-store')
      if (answer instanceof Serialised || answer instanceof Streamed)
        reply.type('application/json; charset=utf-8')
      if (answer instanceof Serialised) return answer.bytes
      if (answer instanceof Streamed)
        return sendBounded(reply, Readable.from(answer.chunks, { objectMode: false }), answer.sendLimits)
      return { code: 200, ...answer }
    },
  })
}

async function addPlainRoutes(
  plain: FastifyInstance,
  routes: readonly PlainRoute[],
  openCall: OpenCall,
  openViewer: OpenViewer,
): Promise<void> {
  const add = (app: FastifyInstance, { method, path, handle }: PlainRoute) =>
    app.route({
      method,
      url: path,
      preHandler: toRequestHook(({ body }) => refuseUnreadable(body)),
      handler: async (request, reply) =>
        handle(
          request,
          reply,
          () => openCall(request, reply),
          () => openViewer(request),
        ),
    })
  acceptForms(plain)
  await plain.register(async (raw) => {
    acceptRawBody(raw)
    for (const route of routes.filter(({ body }) => body === 'raw')) add(raw, route)
  })
  for (const route of routes.filter(({ body }) => body !== 'raw')) add(plain, route)
}

type OpenOperator = (request: FastifyRequest, reply: FastifyReply) => Promise<OperatorCall>

/** Adds a route for raw bytes. A body is read only after the operator is identified and their role allowed. */
function addBytesRoute(
  app: FastifyInstance,
  { path, roles, maxBytes, handle }: BytesRoute,
  publicUrl: string,
  open: OpenOperator,
): void {
  const callers = new WeakMap<FastifyRequest, OperatorCall>()
  app.route({
    method: 'POST',
    url: path,
    bodyLimit: maxBytes,
    onRequest: toRequestHook((request) => refuseForeignOrigin(request, publicUrl)),
    preParsing: async (request, reply) => {
      const call = await open(request, reply)
      if (!call.operator) throw new Refusal('signInRequired')
      if (!isAllowed(call.operator.role, { roles })) throw new Refusal('notAllowed')
      callers.set(request, call)
    },
    handler: async (request, reply) => {
      const { operator = null, ip = request.ip } = callers.get(request) ?? {}
      // The cast is safe: Fastify's URL parameters are strings.
      const params = request.params as Record<string, string | undefined>
      if (!Buffer.isBuffer(request.body)) throw new Fault('unsupportedMedia')
      const answer = await handle({ operator, ip, params, bytes: request.body })
      reply.header('cache-control', 'no-store')
      return { code: 200, ...answer }
    },
  })
}

function addHeaders(app: FastifyInstance, isHttps: boolean): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    reply
      .header('x-request-id', request.id)
      .header('x-content-type-options', 'nosniff')
      .header('referrer-policy', 'strict-origin-when-cross-origin')
    if (isHttps) reply.header('strict-transport-security', 'max-age=31536000')
    done(null, payload)
  })
}
