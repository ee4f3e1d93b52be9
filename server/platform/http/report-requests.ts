import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { RefusalName } from '#contract/errors.ts'
import type { Log } from '#server/platform/log.ts'
import { runInRequest } from '#server/platform/request-id.ts'

/** The outcome of a request. */
export interface CompletedRequest {
  method: string
  /** The route's pattern, such as `/api/videos/:id`; `none` if no route matched. */
  route: string
  status: number
  seconds: number
}

/** A request that a business rule refused. */
export interface RefusedRequest {
  route: string
  reason: RefusalName
}

/** How requests are reported. */
export interface RequestReports {
  /** Whether each call is logged: one line with its route, status and duration. */
  logCalls?: boolean
  /** Called after each response, for metrics. */
  observeCall?(call: CompletedRequest): void
  /**
   * Called for each refusal, for metrics. Its HTTP status is 200, so `observeCall` cannot distinguish it from a
   * success.
   */
  observeRefusal?(refusal: RefusedRequest): void
}

/** Runs the code of each request with the id of the request, so that its log lines contain the id. */
export function runAsRequests(app: FastifyInstance): void {
  app.addHook('onRequest', (request, _reply, done) => runInRequest(request.id, done))
}

/** Logs and measures each request. The hook is only added if needed, since it runs for every file too. */
export function reportRequests(
  app: FastifyInstance,
  { log, logCalls, observeCall }: RequestReports & { log: Log },
): void {
  app.addHook('onResponse', (request, reply, done) => {
    const call = describeRequest(request, reply)
    observeCall?.(call)
    // The route, not the URL: a query may contain a secret or user input.
    if (logCalls) log.info({ request_id: request.id, ...call }, 'call')
    done()
  })
}

/** Returns the pattern of a request's route; `none` if no route matched. */
export const routeOf = ({ routeOptions }: FastifyRequest) => routeOptions.url ?? 'none'

function describeRequest(request: FastifyRequest, reply: FastifyReply): CompletedRequest {
  return {
    method: request.method,
    route: routeOf(request),
    status: reply.statusCode,
    seconds: reply.elapsedTime / 1000,
  }
}
