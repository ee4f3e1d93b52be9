import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type pg from 'pg'
import { createCatalog, loadHomepage, loadVideo } from '#server/features/catalog/catalog.ts'
import { listTags } from '#server/features/catalog/listing/list-tags.ts'
import { listVideos } from '#server/features/catalog/listing/list-videos.ts'
import { recentlyWatched } from '#server/features/library/library.ts'
import { listFavorites, listHistory } from '#server/features/library/list-history-and-favorites.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import { systemClock } from '#server/platform/clock.ts'
import type { Viewer } from '#server/platform/http/route.ts'
import type { Db } from '#server/tables.ts'
import { makeCases, type CatalogueCase } from './catalogue-cases.ts'
import { explainPlans } from './explain-plans.ts'
import { fillCatalogue, type CatalogueSize } from './fill-catalogue.ts'
import { measureByTurns, type Target } from '#bench/http/measure-latency.ts'
import { openFilledDatabase } from '#bench/site/open-filled-database.ts'
import { startSiteOn } from '#bench/site/start-bench-site.ts'
import { printLines } from '#bench/result-table.ts'
import { newGuest } from '#bench/site/bench-guests.ts'

const historyEach = 200
/** More users with a history would make the filling slower, but not the listings. */
const maxWatchers = 20_000

/** Results of a listing at each catalogue size; undefined for a catalogue without this listing. */
interface Measured {
  name: string
  p95s: (number | undefined)[]
  target: CatalogueCase['target']
}

/** A catalogue of one size, and a site with this catalogue that runs in separate processes. */
interface SizedSite {
  url: string
  cases: CatalogueCase[]
  /** Request headers of a user with a long history. */
  busyViewerHeaders: Record<string, string>
  writePlans(): Promise<void>
  close(): Promise<void>
}

/**
 * `npm run bench -- catalogue --sizes 1000,10000 --data FOLDER`: measures the 95th percentile of every listing at each
 * size, and writes the query plans to test-results/. The first size is the baseline.
 * With `--data`, the filled databases remain in FOLDER, one per size: an interrupted run is resumed, and a later run
 * measures without filling. `--only search` runs only cases with this word in their name.
 */
export async function measureCatalogue(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      sizes: { type: 'string', default: '1000,10000,100000' },
      data: { type: 'string' },
      only: { type: 'string', default: '' },
    },
  })
  const sizes = values.sizes.split(',').map(Number)
  const wrong = sizes.find((size) => !Number.isInteger(size) || size < 1000)
  if (wrong !== undefined)
    throw new Error(`--sizes requires whole numbers from 1000 up, such as 1000,10000; not ${wrong}`)
  const home = values.data ?? mkdtempSync(join(tmpdir(), 'cliffhanger-catalogue-'))
  const sites: SizedSite[] = []
  try {
    for (const videos of sizes) {
      const people = Math.round(videos / 10)
      const watchers = Math.min(people, maxWatchers)
      const size = { videos, people, watchers, historyEach }
      sites.push(await openSize(join(home, String(videos)), size))
    }
    printSizes(sizes, await measureCases(sites, values.only))
    for (const site of sites) await site.writePlans()
  } finally {
    for (const site of sites) await site.close()
    if (values.data === undefined) rmSync(home, { recursive: true, force: true })
  }
}

/** Measures every listing, alternating between the sizes. */
async function measureCases(sites: readonly SizedSite[], only: string): Promise<Measured[]> {
  const known = new Map(sites.flatMap(({ cases }) => cases.map((each) => [each.name, each] as const)))
  const measured: Measured[] = []
  for (const { name, target, isCached } of known.values()) {
    if (!name.includes(only)) continue
    const loadTargets = sites.map((site) => loadTargetOf(site, name))
    const latencies = await measureByTurns(loadTargets.filter((loadTarget) => loadTarget !== undefined))
    if (!isCached && latencies.some(({ repeated }) => repeated))
      throw new Error(`“${name}” has too few URLs, so its responses come from the cache`)
    const results = latencies.values()
    const p95s = loadTargets.map((loadTarget) => (loadTarget ? results.next().value?.p95 : undefined))
    console.log(`  ${name}: ${p95s.map(inMs).join(', ')} ms`)
    measured.push({ name, p95s, target })
  }
  return measured
}

function loadTargetOf({ url, cases, busyViewerHeaders }: SizedSite, name: string): Target | undefined {
  const found = cases.find((each) => each.name === name)
  return found && { base: url, paths: found.paths, headers: found.hasLongHistory ? busyViewerHeaders : {} }
}

async function openSize(dataDir: string, size: CatalogueSize): Promise<SizedSite> {
  console.log(
    `A catalogue of ${size.videos} videos and ${size.watchers * size.historyEach} rows of history …`,
  )
  const { pool, close: closeDatabase } = await openFilledDatabase(dataDir, (empty) =>
    fillCatalogue(empty, size, (line) => console.log(`  ${line}`)),
  )
  const closers = [closeDatabase]
  const close = async () => {
    for (const each of closers.toReversed()) await each()
  }
  try {
    const site = await startSiteOn(dataDir)
    closers.push(site.close)
    const { cookie, userId } = await makeBusyPerson(pool, site.url, size)
    const cases = await makeCases(pool, size, userId)
    return {
      url: site.url,
      cases,
      busyViewerHeaders: { cookie },
      writePlans: () => writePlans(pool, size, cases, { userId, role: 'visitor', isStored: true }),
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

/**
 * Creates a user with 20,000 history entries and 5,000 favorites, or fewer in a small catalogue: at most half of the
 * videos.
 */
async function makeBusyPerson(pool: pg.Pool, url: string, { videos }: CatalogueSize) {
  const { rows: first } = await pool.query<{ videoId: string; episodeId: string }>(
    `SELECT bench_id('vid', 1) AS "videoId", bench_id('ep', 1) AS "episodeId"`,
  )
  const cookie = await newGuest({ url }, first[0] ?? { videoId: '', episodeId: '' })
  const answer = await fetch(`${url}/api/user`, { headers: { cookie } })
  // The cast is safe: the site sent the response.
  const { info } = (await answer.json()) as { info: { id: string } }
  // The site writes the user and the first position up to a second after its response.
  const isStored = async () => {
    const { rowCount } = await pool.query('SELECT FROM watch_history WHERE user_id = $1', [info.id])
    return rowCount === 1
  }
  await waitUntil('the user with a long history is stored', isStored, 10_000)
  const client = await pool.connect()
  const rows = `generate_series(1, least($2::int, ${Math.floor(videos / 2)})) n`
  try {
    await client.query('SET session_replication_role = replica')
    await client.query(
      `INSERT INTO watch_history (user_id, video_id, episode_id, position_ms, at)
       SELECT $1, bench_id('vid', n), bench_id('ep', n), 4000, now() - n * interval '1 minute' FROM ${rows}
       ON CONFLICT DO NOTHING`,
      [info.id, 20_000],
    )
    await client.query(
      `INSERT INTO favorites (user_id, video_id, favorited_at)
       SELECT $1, bench_id('vid', n), now() - n * interval '1 minute' FROM ${rows}`,
      [info.id, 5000],
    )
  } finally {
    client.release(true)
  }
  const listed = await fetch(`${url}/api/user/history`, { headers: { cookie } })
  const body = await listed.text()
  if (!body.includes('"next_cursor":"'))
    throw new Error(`The user with a long history has too few entries: ${body.slice(0, 300)}`)
  return { cookie, userId: info.id }
}

/**
 * Writes the query plans of the listings, for first and later pages. Fails if a plan scans a large table or counts
 * rows.
 */
async function writePlans(
  pool: pg.Pool,
  { videos }: CatalogueSize,
  cases: readonly CatalogueCase[],
  busy: Viewer,
): Promise<void> {
  const reads = new Map<string, (db: Db) => Promise<unknown>>([
    ['homepage', (db) => loadHomepage(db, 'en', { text: '', icon: '' })],
    ...cases.flatMap(({ name, paths }) =>
      paths.slice(0, 2).flatMap((path, page) => {
        const read = readOf(new URL(path, 'http://localhost'), busy)
        return read ? [[page === 0 ? name : `${name}, another`, read] as const] : []
      }),
    ),
  ])
  const { text, scans, counts } = await explainPlans(pool, reads)
  const file = join('test-results', `plans-${videos}.txt`)
  mkdirSync('test-results', { recursive: true })
  writeFileSync(file, text)
  console.log(`  plans: ${file}`)
  // With a thousand rows, a sequential scan is faster than an index, so scans are allowed there.
  if (videos >= 10_000) failFor('scan a large table', scans)
  failFor('count rows', counts)
}

function failFor(what: string, statements: readonly string[]): void {
  if (statements.length === 0) return
  console.error(`These statements ${what}:\n${statements.join('\n')}`)
  process.exitCode = 1
}

/** Returns a function that loads the response of a URL directly, without HTTP. */
function readOf({ pathname, searchParams }: URL, viewer: Viewer): ((db: Db) => Promise<unknown>) | undefined {
  const { limit, ...words } = Object.fromEntries(searchParams)
  const query = limit === undefined ? words : { ...words, limit: Number(limit) }
  const catalog = (db: Db) => ({ db, ...createCatalog(db, systemClock) })
  switch (pathname) {
    case '/api/homepage/query':
      return (db) => listVideos(catalog(db), query, 'en', () => recentlyWatched(db, viewer))
    case '/api/tag':
      return (db) => listTags(db, query, 'en')
    case '/api/video':
      return (db) => loadVideo(catalog(db), words['id'] ?? '', 'en')
    case '/api/user/history':
      return (db) => listHistory(catalog(db), viewer, query, 'en', systemClock.now())
    case '/api/user/favorite':
      return (db) => listFavorites(catalog(db), viewer, query, 'en')
    default:
      return undefined
  }
}

function printSizes(sizes: readonly number[], results: readonly Measured[]): void {
  const lines = [
    ['p95 at 16 clients, ms', ...sizes.map(String), 'ratio', 'target', 'ok?'],
    ...results.map(({ name, p95s, target }) => {
      const [first = Number.NaN, last = Number.NaN] = [p95s[0], p95s.at(-1)]
      const ok = !(last / first > target.ratio) && last <= (target.ms ?? Number.POSITIVE_INFINITY)
      return [
        name,
        ...p95s.map(inMs),
        Number.isNaN(first) ? '–' : `${(last / first).toFixed(2)}×`,
        `≤ ${target.ratio}×${target.ms === undefined ? '' : `, ≤ ${target.ms} ms`}`,
        ok ? 'yes' : 'NO',
      ]
    }),
  ]
  printLines(lines)
}

function inMs(ms: number | undefined): string {
  return ms === undefined ? '–' : ms.toFixed(1)
}
