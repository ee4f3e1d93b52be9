import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BareOptions } from '#bench/bare/bare-server.ts'
import { callPaths } from './call-paths.ts'
import { countQueries } from './count-queries.ts'
import { createMember } from './create-member.ts'
import type { BenchSite } from '#bench/site/start-bench-site.ts'
import { atLeast, withoutTarget, type Row } from '#bench/result-table.ts'
import { findBenchEpisode, newGuest, createGuest } from '#bench/site/bench-guests.ts'

const target = 0.7

/** A request by one kind of user, and the number of its database queries. */
export interface CallCase {
  who: 'visitor' | 'guest' | 'member'
  path: string
  cookie: string
  queries: number
}

/**
 * Returns the requests to measure: of a visitor without records, of a guest with a history, and of a member with
 * purchases.
 */
export async function makeCallCases(site: BenchSite): Promise<CallCase[]> {
  const film = await findBenchEpisode(site)
  const member = await createMember(site, film)
  const { visitor, guest, member: ofMember } = callPaths(film, member.orderId)
  const people = [
    { who: 'visitor', paths: visitor, cookie: await createGuest(site) },
    { who: 'guest', paths: guest, cookie: await newGuest(site, film) },
    { who: 'member', paths: ofMember, cookie: member.cookie },
  ] as const
  const cases: CallCase[] = []
  for (const { who, paths, cookie } of people) {
    const counts = await countQueries(site, paths, cookie)
    paths.forEach((path, index) => cases.push({ who, path, cookie, queries: counts[index] ?? 0 }))
  }
  return cases
}

/** Returns a case's name, such as `/api/user/history?kind=, member (3 queries)`. Ids and search words are left out. */
function nameOf({ who, path, queries }: CallCase): string {
  const name = path.replace(/=[^=]{12,}$/, '')
  return `${name}, ${who}${queries > 0 ? ` (${queries} quer${queries > 1 ? 'ies' : 'y'})` : ''}`
}

/** Returns a result row. It has a target only if the request queries the database instead of the memory cache. */
export function rowOf(each: CallCase, { ours, bare }: { ours: number; bare: number }, before = ''): Row {
  const what = `${before}${nameOf(each)}`
  return each.queries > 0 ? atLeast(what, ours, bare, target, '/s') : withoutTarget(what, ours, bare, '/s')
}

/** Stores the responses for the bare server, which serves them under /answer/0, /answer/1 and so on. */
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
      throw new Error(`${path} returned ${bytes.toString().slice(0, 300)}`)
    writeFileSync(file, bytes)
    answers.push({ path: `/answer/${index}`, file, type, queries })
  }
  return answers
}
