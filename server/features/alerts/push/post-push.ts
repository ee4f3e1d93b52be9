import type { Agent } from 'node:https'
import type { RequestDetails } from 'web-push'
import { loadHttps } from '#server/platform/public-network.ts'

/** Response of a push service. */
export interface PushResponse {
  status: number
  /** Value of the `Retry-After` header. */
  retryAfter: string | undefined
}

/** Maximum size of a response, whose body is ignored. */
const maxResponseBytes = 64 * 1024

/**
 * Posts an encrypted push to a browser's push service. Its address comes from the client and is not trusted: `agent` does not connect
 * to private networks, redirects are not followed, and the time is limited.
 * @throws Error without a response before the timeout or `abortSignal`; NotPublic if the host name resolves to a private network
 */
export async function postPush(
  { endpoint, headers, body }: RequestDetails,
  agent: Agent,
  timeoutMs: number,
  abortSignal: AbortSignal,
): Promise<PushResponse> {
  const { request } = await loadHttps()
  const { promise, resolve, reject } = Promise.withResolvers<PushResponse>()
  const signal = AbortSignal.any([abortSignal, AbortSignal.timeout(timeoutMs)])
  const posting = request(endpoint, { method: 'POST', headers, agent, signal }, (response) => {
    let left = maxResponseBytes
    response.on('data', (part: Buffer) => {
      left -= part.length
      if (left < 0) response.destroy()
    })
    const { statusCode: status = 0, headers: answered } = response
    response.on('close', () => resolve({ status, retryAfter: answered['retry-after'] }))
    // Only the status matters, and it has arrived.
    response.on('error', () => {})
  })
  posting.on('error', reject)
  posting.end(body)
  return promise
}
