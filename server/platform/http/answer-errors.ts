import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { Fault, Refusal, faults, refusals, type FaultName } from '#contract/errors.ts'
import type { Language } from '#contract/languages.ts'
import type { Log } from '#server/platform/log.ts'

interface Words {
  translate(language: Language, key: string, values?: Record<string, unknown>): string
  languageOf(request: FastifyRequest): Language
  log: Log
}

const faultOfStatus: Record<number, FaultName> = {
  400: 'badRequest',
  413: 'tooLarge',
  415: 'unsupportedMedia',
  429: 'tooMany',
  503: 'unavailable',
}

/** The one place where an error becomes an answer (product.md, section 2). */
export function answerError(
  words: Words,
  error: FastifyError | Error,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const language = words.languageOf(request)
  reply.header('cache-control', 'no-store').type('application/json; charset=utf-8')
  if (error instanceof Refusal) {
    const message = words.translate(language, `refusals.${error.reason}`, error.info)
    reply
      .code(200)
      .serializer(JSON.stringify)
      .send({ code: refusals[error.reason], message, info: error.info })
    return
  }
  const fault = faultOf(error)
  const status = faults[fault.reason]
  if (status >= 500)
    words.log.error({ err: error, method: request.method, path: pathOf(request) }, 'a call failed')
  const sentence = words.translate(language, `faults.${fault.reason}`)
  const message = fault.detail ? `${sentence} (${fault.detail})` : sentence
  if (fault.retryAfter) reply.header('retry-after', String(fault.retryAfter))
  reply.code(status).serializer(JSON.stringify).send({ code: status, message, info: {} })
}

function faultOf(error: FastifyError | Error): Fault {
  if (error instanceof Fault) return error
  if ('validation' in error && error.validation) return new Fault('badRequest', error.message)
  const status = 'statusCode' in error ? error.statusCode : undefined
  return new Fault(faultOfStatus[status ?? 500] ?? 'broken')
}

/** The path alone: a query may hold what must not be logged. */
function pathOf(request: FastifyRequest): string {
  return request.url.split('?')[0] ?? ''
}
