import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BareOptions } from '#bench/bare/bare-server.ts'
import { countQueries } from './count-queries.ts'
import { newMember } from './new-member.ts'
import type { BenchSite } from '#bench/site/start-bench-site.ts'
import { atLeast, beside, type Row } from '#bench/table.ts'
import { findFilm, newGuest, newVisitor, type Film } from '#bench/site/visitor.ts'

const aim = 0.7

/** A call as one person makes it, and how many queries it costs. */
export interface CallCase {
  who: 'visitor' | 'guest' | 'member'
  path: string
  cookie: string
  queries: number
}

/** What a browser asks for on behalf of anybody. */
const everybodys = ({ videoId, episodeId }: Film) => [
  '/api/homepage',
  `/api/video?id=${videoId}`,
  `/api/video/episode?video_id=${videoId}`,
  `/api/video/episode?episode_id=${episodeId}`,
  '/api/homepage/query?sort=newest',
  '/api/homepage/query?keyword=bench',
  '/api/tag',
  '/api/tag?keyword=ben',
  '/api/plan',
  '/api/reports',
  '/api/user',
  '/api/user/social',
  '/api/page/serviceAgreement',
  '/api/health',
  '/api/ready',
  '/api/statics.png?event=view',
]

/** What is different for somebody of whom something is kept. */
const kept = ({ videoId, episodeId }: Film) => [
  '/api/homepage',
  `/api/video?id=${videoId}`,
  `/api/video/episode?video_id=${videoId}`,
  `/api/video/episode?episode_id=${episodeId}`,
  '/api/user',
  '/api/user/history',
  '/api/user/history?kind=unlocked',
  '/api/user/favorite',
  '/api/payment',
]

/** Not the export: it notes each time that it was made, and tells of that the next time, so it would grow under load. */
const members = ['/api/user/session']

/** Every GET of the contract but the export: as a visitor who has kept nothing, as a guest with a history, and as a member who has bought. */
export async function makeCallCases(site: BenchSite): Promise<CallCase[]> {
  const film = await findFilm(site)
  const people = [
    { who: 'visitor', paths: everybodys(film), cookie: await newVisitor(site) },
    { who: 'guest', paths: kept(film).slice(0, 2), cookie: await newGuest(site, film) },
    { who: 'member', paths: [...kept(film), ...members], cookie: await newMember(site, film) },
  ] as const
  const cases: CallCase[] = []
  for (const { who, paths, cookie } of people) {
    const counts = await countQueries(site, paths, cookie)
    paths.forEach((path, index) => cases.push({ who, path, cookie, queries: counts[index] ?? 0 }))
  }
  return cases
}

/** Such as `/api/user/history?kind=, member (3 queries)`: ids and words are the bench's own. */
function nameOf({ who, path, queries }: CallCase): string {
  const name = path.replace(/=[^=]{12,}$/, '')
  return `${name}, ${who}${queries > 0 ? ` (${queries} quer${queries > 1 ? 'ies' : 'y'})` : ''}`
}

/** What reads the database has an aim against as many look-ups; what is answered from memory stands beside a bare route that only sends. */
export function rowOf(each: CallCase, { ours, bare }: { ours: number; bare: number }, before = ''): Row {
  const what = `${before}${nameOf(each)}`
  return each.queries > 0 ? atLeast(what, ours, bare, aim, '/s') : beside(what, ours, bare, '/s')
}

/** The same bytes for the bare server to send, under /answer/0 and so on. */
export async function recordAnswers(
  { url, home }: BenchSite,
  cases: readonly CallCase[],
): Promise<BareOptions['answers']> {
  const answers: BareOptions['answers'] = []
  for (const [index, { path, cookie, queries }] of cases.entries()) {
    const file = join(home, `answer-${index}`)
    const response = await fetch(`${url}${path}`, { headers: { cookie } })
    const bytes = Buffer.from(await response.arrayBuffer())
    const type = response.headers.get('content-type') ?? ''
    if (type.includes('json') && !bytes.toString().startsWith('{"code":200'))
      throw new Error(`${path} answered ${bytes.toString().slice(0, 300)}`)
    writeFileSync(file, bytes)
    answers.push({ path: `/answer/${index}`, file, type, queries })
  }
  return answers
}
