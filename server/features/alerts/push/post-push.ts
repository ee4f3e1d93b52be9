import type { Agent } from 'node:https'
import type { RequestDetails } from 'web-push'
import { loadHttps } from '#server/platform/public-network.ts'

/** How a push service answered. */
export interface PushAnswer {
  status: number
  /** As the header has it. */
  retryAfter: string | undefined
}

/** Its answers have no body that matters; one that is longer is cut off. */
const mostBytes = 64 * 1024

/**
 * Posts an encrypted push to the service of a browser, which a stranger named: by `agent`, which does not lead into our network,
 * without following it elsewhere, and within a time.
 * @throws Error without an answer in time, or before `stop`; NotPublic where the name leads into a private network
 */
export async function postPush(
  { endpoint, headers, body }: RequestDetails,
  agent: Agent,
  timeoutMs: number,
  stop: AbortSignal,
): Promise<PushAnswer> {
  const { request } = await loadHttps()
  const { promise, resolve, reject } = Promise.withResolvers<PushAnswer>()
  const signal = AbortSignal.any([stop, AbortSignal.timeout(timeoutMs)])
  const posting = request(endpoint, { method: 'POST', headers, agent, signal }, (response) => {
    let left = mostBytes
    response.on('data', (part: Buffer) => {
      left -= part.length
      if (left < 0) response.destroy()
    })
    const { statusCode: status = 0, headers: answered } = response
    response.on('close', () => resolve({ status, retryAfter: answered['retry-after'] }))
    // The status is what counts, and it is here.
    response.on('error', () => {})
  })
  posting.on('error', reject)
  posting.end(body)
  return promise
}
