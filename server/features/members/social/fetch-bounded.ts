import type { CustomFetchOptions } from 'openid-client'

/** Far more than any response of a provider: discovery documents and keys are some kilobytes. */
const maxBytes = 256 * 1024

/**
 * Fetches from a provider without following redirects, and with a limited response size. The
 * caller's signal is the time-out, also for the body.
 * @throws Error if the response is too long, late or broken off
 */
export async function fetchBounded(url: string, options: CustomFetchOptions): Promise<Response> {
  // The cast is safe: the library's type of a body is only a little wider than that of fetch.
  const response = await fetch(url, { ...options, redirect: 'manual' } as RequestInit)
  const parts: Uint8Array[] = []
  let length = 0
  for await (const part of response.body ?? []) {
    length += part.byteLength
    if (length > maxBytes) throw new Error(`the provider's answer is longer than ${maxBytes} bytes`)
    parts.push(part)
  }
  const { status, headers } = response
  const body = length === 0 ? null : Buffer.concat(parts)
  // The body is decoded already, so these headers do not apply any more.
  const decodedHeaders = new Headers(headers)
  for (const name of ['content-encoding', 'content-length']) decodedHeaders.delete(name)
  return new Response(body, { status, headers: decodedHeaders })
}
