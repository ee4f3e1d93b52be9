import type { CustomFetchOptions } from 'openid-client'

/** Maximum size of a response in bytes. It is far above the size of discovery documents and keys (some kilobytes). */
const maxBytes = 256 * 1024

/**
 * Fetches from a provider without following redirects, and with a limited response size. The caller's signal limits the
 * time until the whole body is read.
 * @throws Error if the response is too long, late or incomplete
 */
export async function fetchBounded(url: string, options: CustomFetchOptions): Promise<Response> {
  // The cast is safe: the library's type of a body is only a little wider than fetch's type.
  const response = await fetch(url, { ...options, redirect: 'manual' } as RequestInit)
  const parts: Uint8Array[] = []
  let length = 0
  for await (const part of response.body ?? []) {
    length += part.byteLength
    if (length > maxBytes) throw new Error(`the provider's response is longer than ${maxBytes} bytes`)
    parts.push(part)
  }
  const { status, headers } = response
  const body = length === 0 ? null : Buffer.concat(parts)
  // The body is already decoded, so these headers do not apply.
  const decodedHeaders = new Headers(headers)
  for (const name of ['content-encoding', 'content-length']) decodedHeaders.delete(name)
  return new Response(body, { status, headers: decodedHeaders })
}
