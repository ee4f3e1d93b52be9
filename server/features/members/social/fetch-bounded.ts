import type { CustomFetchOptions } from 'openid-client'

/** No answer of a provider is longer by far: discovery documents and keys are some kilobytes. */
const mostBytes = 256 * 1024

/**
 * Fetches from a provider without following it elsewhere, and reads no more of the answer than is sensible. The time-out
 * is the caller's signal, which holds for the body too.
 * @throws Error if the answer is too long, late or broken off
 */
export async function fetchBounded(url: string, options: CustomFetchOptions): Promise<Response> {
  // The library's type of a body is a little wider than fetch's.
  const response = await fetch(url, { ...options, redirect: 'manual' } as RequestInit)
  const parts: Uint8Array[] = []
  let length = 0
  for await (const part of response.body ?? []) {
    length += part.byteLength
    if (length > mostBytes) throw new Error(`the provider's answer is longer than ${mostBytes} bytes`)
    parts.push(part)
  }
  const { status, headers } = response
  const body = length === 0 ? null : Buffer.concat(parts)
  // What was read is decoded already.
  const plain = new Headers(headers)
  for (const name of ['content-encoding', 'content-length']) plain.delete(name)
  return new Response(body, { status, headers: plain })
}
