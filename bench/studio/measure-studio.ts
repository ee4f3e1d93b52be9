import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type pg from 'pg'
import { openFilledDatabase } from '#bench/site/open-filled-database.ts'
import { startSiteOn } from '#bench/site/start-bench-site.ts'
import { fillStudio } from './fill-studio.ts'
import { largeSite, siteSize, type SiteSize } from './studio-size.ts'
import { makeCovers } from './make-covers.ts'
import { measureCases, type Target } from './measure-cases.ts'
import { measureScrolling } from './measure-scrolling.ts'
import { createStudioSession } from './create-studio-session.ts'
import { readParameterValues } from './read-parameter-values.ts'
import { measureJobs } from './measure-jobs.ts'
import { makeFileCases, makeStudioCases, type StudioCase } from './studio-cases.ts'
import { printTable, type Row } from '#bench/result-table.ts'

/**
 * `npm run bench -- studio --data FOLDER`: fills a site with 10,000 videos, 200,000 orders and 5,000,000 events.
 * Measures every read-only command of the studio (median and 95th percentile), and how smoothly its longest lists
 * scroll.
 * With `--data`, the filled database remains in FOLDER: an interrupted run is resumed, and a later run measures without
 * filling. `--part 0.01` fills a hundredth, and `--large` fills a site with 10,000,000 users. `--only order` runs only
 * cases with this word in their name; the measurements of scrolling and of the jobs are named `scroll` and `jobs`.
 */
export async function measureStudio(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      data: { type: 'string' },
      part: { type: 'string', default: '1' },
      large: { type: 'boolean', default: false },
      only: { type: 'string', default: '' },
    },
  })
  const part = Number(values.part)
  if (!(part > 0 && part <= 1))
    throw new Error(`--part requires a number up to 1, such as 0.01; not ${values.part}`)
  const dataDir = values.data ?? mkdtempSync(join(tmpdir(), 'cliffhanger-studio-'))
  const filled = await openFilled(dataDir, values.large ? largeSite : siteSize(part))
  try {
    const jobs = 'jobs'.includes(values.only) ? await measureJobs(filled.pool, dataDir) : []
    const site = await startSiteOn(dataDir)
    try {
      const rows = [...jobs, ...(await measure(filled.pool, site.url, values))]
      printTable(rows)
      if (rows.some(({ ok }) => !ok)) process.exitCode = 1
    } finally {
      await site.close()
    }
  } finally {
    await filled.close()
    if (values.data === undefined) rmSync(dataDir, { recursive: true, force: true })
  }
}

async function openFilled(dataDir: string, size: SiteSize) {
  const filled = await openFilledDatabase(dataDir, (pool) => {
    console.log(`Filling ${dataDir}, unless it is filled already …`)
    return fillStudio(pool, size, (line) => console.log(`  ${line}`))
  })
  await makeCovers(dataDir)
  return filled
}

async function measure(
  pool: pg.Pool,
  url: string,
  { only, large }: { only: string; large: boolean },
): Promise<Row[]> {
  const cookie = await createStudioSession(pool)
  const target: Target = { url, headers: { cookie: `${cookie.name}=${cookie.value}` } }
  const cases = (await makeCases(pool, url)).filter(({ name }) => name.includes(only))
  console.log(`${cases.length} cases with one client …`)
  const rows = await measureCases(target, cases)
  // Scrolling is not measured with `--large`, because the loaded pages have as many rows as without this option.
  return 'scroll'.includes(only) && !large ? [...rows, ...(await measureScrolling(url, cookie))] : rows
}

async function makeCases(pool: pg.Pool, url: string): Promise<StudioCase[]> {
  const description = await fetch(`${url}/api/openapi.json`)
  // The cast is safe: this is the site's own OpenAPI document.
  const files = makeFileCases((await description.json()) as Parameters<typeof makeFileCases>[0])
  return [...makeStudioCases(await readParameterValues(pool)), ...files]
}
