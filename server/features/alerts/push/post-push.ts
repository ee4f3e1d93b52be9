import type { Agent } from 'node:https'
import type { RequestDetails } from 'web-push'
import { loadHttps } from '#server/platform/public-network.ts'

/** The response of a push service. */
export interface PushResponse {
  status: number
  /** Value of the `Retry-After` header. */
  retryAfter: string | undefined
}

/** Maximum size of a response in bytes. The body is not used. */
const maxResponseBytes = 64 * 1024

/**
 * Posts an encrypted push to a browser's push service. The address is not trusted, because a client sent it: `agent`
 * refuses private networks, redirects are not followed, and `timeoutMs` limits the time.
 * @throws Error if no response arrives before the timeout or `abortSignal`; NotPublicError if the host name resolves to
 * a private network
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
    let remainingBytes = maxResponseBytes
    response.on('data', (part: Buffer) => {
      remainingBytes -= part.length
      if (remainingBytes < 0) response.destroy()
    })
    const { statusCode: status = 0, headers: responseHeaders } = response
    response.on('close', () => resolve({ status, retryAfter: responseHeaders['retry-after'] }))
    // Ignores a broken body: only the status matters, and it has already arrived.
    response.on('error', () => {})
  })
  posting.on('error', reject)
  posting.end(body)
  return promise
}
