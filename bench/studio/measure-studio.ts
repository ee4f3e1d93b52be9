import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { columnTypes } from '#server/platform/database/column-types.ts'
import { openDatabase } from '#server/platform/database/database.ts'
import { startEmbeddedDatabase } from '#server/platform/database/embedded/embedded-database.ts'
import { createLog } from '#server/platform/log.ts'
import type { Tables } from '#server/tables.ts'
import { startSiteOn } from '#bench/site/start-bench-site.ts'
import { fillStudio, siteSize } from './fill-studio.ts'
import { makeCovers } from './make-covers.ts'
import { measureCases, type Target } from './measure-cases.ts'
import { measureScrolling } from './measure-scrolling.ts'
import { createStudioSession } from './create-studio-session.ts'
import { readParameterValues } from './read-parameter-values.ts'
import { runJobsOnce } from './run-jobs-once.ts'
import { makeFileCases, makeStudioCases, type StudioCase } from './studio-cases.ts'
import { printTable, type Row } from '#bench/result-table.ts'

const log = createLog({ json: false, level: 'warn' })
const port = 3911

/**
 * `npm run bench -- studio --data FOLDER`: fills a site with 10,000 videos, 200,000 orders and 5,000,000 events.
 * Measures every read-only command of the studio (median and 95th percentile), and how smoothly its longest lists
 * scroll.
 * With `--data`, the filled database remains in FOLDER: an interrupted run is resumed, and a later run measures without
 * filling. `--part 0.01` fills a hundredth. `--only order` runs only cases with this word in their name; the
 * measurement of scrolling is named `scroll`.
 */
export async function measureStudio(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      data: { type: 'string' },
      part: { type: 'string', default: '1' },
      only: { type: 'string', default: '' },
    },
  })
  const part = Number(values.part)
  if (!(part > 0 && part <= 1))
    throw new Error(`--part requires a number up to 1, such as 0.01; not ${values.part}`)
  const dataDir = values.data ?? mkdtempSync(join(tmpdir(), 'cliffhanger-studio-'))
  const pool = await openFilled(dataDir, part)
  try {
    await runJobsOnce(pool.filled, dataDir)
    const site = await startSiteOn(dataDir, port)
    try {
      const rows = await measure(pool.filled, site.url, values.only)
      printTable(rows)
      if (rows.some(({ ok }) => !ok)) process.exitCode = 1
    } finally {
      await site.close()
    }
  } finally {
    await pool.close()
    if (values.data === undefined) rmSync(dataDir, { recursive: true, force: true })
  }
}

async function openFilled(dataDir: string, part: number) {
  mkdirSync(dataDir, { recursive: true })
  const database = await openDatabase<Tables>({ dataDir, databaseUrl: undefined, migrate: true }, log)
  const { connection } = await startEmbeddedDatabase({ dataDir, log })
  // Uses its own connection pool, because the statement timeout of the site's pool is too short for filling.
  const filled = new pg.Pool({ ...connection, types: columnTypes })
  // Ignores an error that a closing connection may get when the database server stops.
  filled.on('error', () => undefined)
  const close = async () => {
    await filled.end()
    await database.close()
  }
  try {
    console.log(`Filling ${dataDir}, unless it is filled already …`)
    await fillStudio(filled, siteSize(part), (line) => console.log(`  ${line}`))
    await makeCovers(dataDir)
    return { filled, close }
  } catch (error) {
    await close()
    throw error
  }
}

async function measure(pool: pg.Pool, url: string, only: string): Promise<Row[]> {
  const cookie = await createStudioSession(pool)
  const target: Target = { url, headers: { cookie: `${cookie.name}=${cookie.value}` } }
  const cases = (await makeCases(pool, url)).filter(({ name }) => name.includes(only))
  console.log(`${cases.length} cases with one client …`)
  const rows = await measureCases(target, cases)
  return 'scroll'.includes(only) ? [...rows, ...(await measureScrolling(url, cookie))] : rows
}

async function makeCases(pool: pg.Pool, url: string): Promise<StudioCase[]> {
  const description = await fetch(`${url}/api/openapi.json`)
  // The cast is safe: this is the site's own OpenAPI document.
  const files = makeFileCases((await description.json()) as Parameters<typeof makeFileCases>[0])
  return [...makeStudioCases(await readParameterValues(pool)), ...files]
}
