import type { FastifyRequest } from 'fastify'

/** Returns the first of these encodings that the browser accepts, or undefined (RFC 9110, 12.5.3). */
export function acceptedEncoding<Encoding extends { name: string }>(
  { headers }: FastifyRequest,
  encodings: readonly Encoding[],
): Encoding | undefined {
  const accepted = String(headers['accept-encoding'] ?? '')
    .split(',')
    .filter((part) => !/;\s*q=0(\.0*)?\s*$/.test(part))
    .map((part) => part.split(';')[0]?.trim())
  return encodings.find(({ name }) => accepted.includes(name))
}
