import type { Context } from '#server/context.ts'
import { createSite } from '#server/site.ts'

/**
 * Returns every call below /api that the site serves, such as `GET /api/page/{name}`. HEAD counts as GET. Parses the
 * route tree that the server prints, which has one path segment per line.
 */
export async function listApiRoutes(context: Context): Promise<string[]> {
  const server = await createSite(context)
  await server.ready()
  const tree = server.printRoutes({ commonPrefix: false })
  await server.close()
  const pieces: string[] = []
  return tree
    .trimEnd()
    .split('\n')
    .flatMap((line) => {
      const [, branch = '', piece = '', methods = ''] = /^(.*── )(\S+) \((.+)\)$/.exec(line) ?? []
      pieces.splice(branch.length / 4 - 1, Infinity, piece)
      const path = pieces.join('').replaceAll(/:(\w+)/g, '{$1}')
      return methods
        .split(', ')
        .filter((method) => method !== 'HEAD' && path.startsWith('/api/'))
        .map((method) => `${method} ${path}`)
    })
}
