import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { countQueries } from './count-queries.ts'
import { compareLoad } from './load.ts'
import { startBare } from './start-bare.ts'
import type { BenchSite } from './start-bench-site.ts'
import { atLeast, type Row } from './table.ts'
import { findFilm, newGuest, newVisitor } from './visitor.ts'

const aim = 0.7

interface Case {
  who: string
  path: string
  cookie: string
  queries: number
}

/** Calls per second, for a visitor who has kept nothing and for a guest who has, against a bare route with as many look-ups and the same bytes. */
export async function measureCalls(site: BenchSite): Promise<Row[]> {
  const film = await findFilm(site)
  const paths = ['/api/homepage', `/api/video?id=${film.videoId}`]
  const visitor = await newVisitor(site)
  const guest = await newGuest(site, film)
  const counts = await countQueries(site, paths, guest)
  const cases = [
    ...paths.map((path): Case => ({ who: 'visitor', path, cookie: visitor, queries: 0 })),
    ...paths.map((path, index): Case => ({
      who: 'guest with history',
      path,
      cookie: guest,
      queries: counts[index] ?? 0,
    })),
  ]
  const answers = []
  for (const [index, { path, cookie, queries }] of cases.entries()) {
    const file = join(site.home, `answer-${index}.json`)
    const response = await fetch(`${site.url}${path}`, { headers: { cookie } })
    writeFileSync(file, Buffer.from(await response.arrayBuffer()))
    answers.push({ path: `/answer/${index}`, file, queries })
  }
  const bare = await startBare({ answers, files: site.home, connection: site.connection })
  try {
    const rows: Row[] = []
    for (const [index, { who, path, cookie, queries }] of cases.entries()) {
      const headers = { cookie }
      const result = await compareLoad(
        { url: `${site.url}${path}`, headers },
        { url: `${bare.url}/answer/${index}`, headers },
      )
      const what = `${path.split('?')[0]}, ${who}${queries > 0 ? ` (${queries} queries)` : ''}`
      rows.push(atLeast(what, result.ours, result.bare, aim, '/s'))
    }
    return rows
  } finally {
    await bare.close()
  }
}
