import type { Context } from '#server/context.ts'
import { createSite } from '#server/site.ts'

/**
 * Every call below /api that the site serves, such as `GET /api/page/{name}`, read off the server's own tree of routes, which has
 * a piece of a path to a line. HEAD goes with GET.
 */
export async function servedCalls(context: Context): Promise<string[]> {
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
