import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { Fault, Refusal, faults, refusals, type FaultName } from '#contract/errors.ts'
import type { Language } from '#contract/languages.ts'
import { maintenanceDetail } from './maintenance-mode.ts'
import { isDatabaseUnavailable } from '#server/platform/database/database-unavailable.ts'
import type { Log } from '#server/platform/log.ts'

interface ErrorResponseContext {
  translate(language: Language, key: string, values?: Record<string, unknown>): string
  languageOf(request: FastifyRequest): Promise<Language>
  requestLanguage(request: FastifyRequest): Language
  log: Log
}

const faultOfStatus: Record<number, FaultName> = {
  400: 'badRequest',
  404: 'unknownEndpoint',
  408: 'requestTimeout',
  413: 'requestTooLarge',
  414: 'requestTooLarge',
  415: 'unsupportedMedia',
  429: 'tooManyRequests',
  431: 'headersTooLarge',
  503: 'unavailable',
}

/** Retry-After in seconds while the database is unavailable. */
const databaseRetrySeconds = 5

const drainTimeoutMs = 2000

/** Converts every error into a response. No other code does so. */
export async function sendErrorResponse(
  context: ErrorResponseContext,
  error: FastifyError | Error,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  reply.header('cache-control', 'no-store').type('application/json; charset=utf-8').serializer(JSON.stringify)
  if (error instanceof Refusal) {
    const message = context.translate(
      await context.languageOf(request),
      `refusals.${error.reason}`,
      error.info,
    )
    return reply.code(200).send({ code: refusals[error.reason], message, info: error.info })
  }
  const fault = faultOf(error)
  const status = faults[fault.reason]
  logFault(context.log, error, fault, request)
  if (fault.reason === 'requestTooLarge') await drainBody(request.raw)
  const message = context.translate(await languageOf(context, request, status), `faults.${fault.reason}`)
  if (fault.retryAfter) reply.header('retry-after', String(fault.retryAfter))
  return reply.code(status).send({ code: status, message, info: {} })
}

/**
 * Reads the rest of the request body for at most `drainTimeoutMs`. Otherwise a client that is still sending would see a
 * broken connection instead of the response.
 */
async function drainBody(raw: IncomingMessage): Promise<void> {
  if (raw.complete || raw.destroyed) return
  raw.resume()
  const sent = new Promise<void>((resolve) => raw.once('close', resolve).once('end', resolve))
  const drainTimeout = new AbortController()
  await Promise.race([
    sent,
    delay(drainTimeoutMs, undefined, { signal: drainTimeout.signal }).catch(() => {}),
  ])
  drainTimeout.abort()
}

/**
 * Returns the language of an error response. If the server failed or the caller is over a rate limit, the caller is not
 * looked up.
 */
async function languageOf(
  context: ErrorResponseContext,
  request: FastifyRequest,
  status: number,
): Promise<Language> {
  const skipsLookup = status >= 500 || status === faults.tooManyRequests
  return skipsLookup ? context.requestLanguage(request) : context.languageOf(request)
}

/** Logs the details of a fault, which are not translated and so not part of the response. */
function logFault(log: Log, error: Error, { reason, detail }: Fault, request: FastifyRequest): void {
  if (detail === maintenanceDetail) return
  const call = { request_id: request.id, method: request.method, path: pathOf(request) }
  if (faults[reason] >= 500) log.error({ err: error, ...call }, 'a call failed')
  else if (detail) log.debug({ detail, ...call }, 'a call was invalid')
}

function faultOf(error: FastifyError | Error): Fault {
  if (error instanceof Fault) return error
  if ('validation' in error && error.validation) return new Fault('badRequest', error.message)
  if (isDatabaseUnavailable(error)) return new Fault('unavailable', undefined, databaseRetrySeconds)
  const status = 'statusCode' in error ? error.statusCode : undefined
  return new Fault(faultOfStatus[status ?? 500] ?? (isClientError(status) ? 'badRequest' : 'internalError'))
}

function isClientError(status: number | undefined): boolean {
  return status !== undefined && status >= 400 && status < 500
}

/** Returns the path without the query and without the media signature, neither of which may be logged. */
function pathOf(request: FastifyRequest): string {
  return (request.url.split('?')[0] ?? '').replace(/^\/media\/[^/]+/, '/media/…')
}

const faultOfParser: Record<string, FaultName> = {
  HPE_HEADER_OVERFLOW: 'headersTooLarge',
  ERR_HTTP_REQUEST_TIMEOUT: 'requestTimeout',
}

/**
 * Responds to bytes that are not valid HTTP (bad method, header or length; too long; too slow), for which there is no
 * request object.
 */
export function answerMalformedRequest(
  context: Pick<ErrorResponseContext, 'translate'>,
  error: NodeJS.ErrnoException,
  socket: Duplex,
): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  const fault = new Fault(faultOfParser[error.code ?? ''] ?? 'badRequest')
  const status = faults[fault.reason]
  const body = JSON.stringify({
    code: status,
    message: context.translate('en', `faults.${fault.reason}`),
    info: {},
  })
  const head = [
    // Without the status text: it is in node:http, and importing that from a module loads Node's fetch (3 MB).
    `HTTP/1.1 ${status} `,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Cache-Control: no-store',
    'X-Content-Type-Options: nosniff',
    'Connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}

/**
 * Handles requests that Node would otherwise refuse with an empty response. An unknown expectation is ignored, as HTTP
 * allows. CONNECT gets an error response.
 */
export function overrideNodeRefusals(context: Pick<ErrorResponseContext, 'translate'>, server: Server): void {
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
  server.on('connect', (_request, socket) => {
    // Node has released the socket: its errors and its end must be handled here.
    socket.on('error', () => socket.destroy()).once('finish', () => socket.destroy())
    answerMalformedRequest(context, new Error('CONNECT'), socket)
  })
}
