import type { PlainRoute } from '#server/platform/http/route.ts'

/** Serves the file that verifies the site's domain for Apple Pay, if the operator has configured it. */
export function applePayRoutes(file: string | undefined): PlainRoute[] {
  if (file === undefined) return []
  return [
    {
      method: 'GET',
      path: '/.well-known/apple-developer-merchantid-domain-association',
      handle: (_request, reply) =>
        reply.header('cache-control', 'no-cache').type('text/plain; charset=utf-8').send(file),
    },
  ]
}
