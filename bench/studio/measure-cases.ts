import { Agent, request } from 'node:http'
import type { Row } from '#bench/result-table.ts'
import type { StudioCase } from './studio-cases.ts'

/** Maximum 95th percentile of every studio page, in milliseconds. */
const maxMs = 300
const calls = 200
const warmUps = 20
/** Maximum number of pages that are followed in a list, enough for the longest list. */
const maxPages = 2000
const largestPage = 100

/** A site, and the request headers of an owner. */
export interface Target {
  url: string
  headers: Record<string, string>
}

/**
 * Measures each case with one client that sends sequential requests: for the first page, and for a page from the middle
 * of the list.
 */
export async function measureCases(target: Target, cases: readonly StudioCase[]): Promise<Row[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const ask = (path: string, isFile?: boolean) => sendRequest(target, path, agent, isFile)
  const rows: Row[] = []
  const measure = async (name: string, paths: readonly string[], isFile?: boolean) => {
    const row = await measureOne(name, paths, (path) => ask(path, isFile))
    console.log(`  ${row.what}: ${row.ours}${row.ok ? '' : ', too slow'}`)
    rows.push(row)
  }
  try {
    for (const { name, paths, hasPages, isFile } of cases) {
      await measure(name, paths, isFile)
      const middle = hasPages
        ? await middleOf(paths[0] ?? '', async (path) => (await ask(path)).body)
        : undefined
      if (middle) await measure(`${name}, page ${middle.page}`, [middle.path])
    }
    return rows
  } finally {
    agent.destroy()
  }
}

async function measureOne(
  what: string,
  paths: readonly string[],
  ask: (path: string) => Promise<{ ms: number }>,
): Promise<Row> {
  const times: number[] = []
  for (let turn = 0; turn < warmUps + calls; turn++) {
    const { ms } = await ask(paths[turn % paths.length] ?? '')
    if (turn >= warmUps) times.push(ms)
  }
  const sorted = times.toSorted((one, other) => one - other)
  const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? Number.NaN
  const [p50, p95] = [at(0.5), at(0.95)]
  return {
    what,
    ours: `${p50.toFixed(1)} / ${p95.toFixed(1)} ms`,
    bare: '–',
    ratio: '–',
    target: `≤ ${maxMs} ms`,
    ok: p95 <= maxMs,
  }
}

/** Follows a list for at most `maxPages` pages and returns the middle one; undefined if the list has only one page. */
async function middleOf(
  path: string,
  read: (path: string) => Promise<string>,
): Promise<{ page: number; path: string } | undefined> {
  const glue = path.includes('?') ? '&' : '?'
  const cursors: string[] = []
  for (let cursor: string | null = ''; cursor !== null && cursors.length < maxPages;) {
    const body = await read(
      `${path}${glue}limit=${largestPage}${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`,
    )
    cursor = nextCursorOf(body)
    if (cursor !== null) cursors.push(cursor)
  }
  const middle = Math.floor(cursors.length / 2)
  const cursor = cursors[middle]
  if (cursor === undefined) return undefined
  return { page: middle + 2, path: `${path}${glue}cursor=${encodeURIComponent(cursor)}` }
}

function nextCursorOf(body: string): string | null {
  // The cast is safe: the site sent the response, and its schema has a cursor.
  const { data, info } = JSON.parse(body) as Record<string, { next_cursor: string | null } | undefined>
  return data?.next_cursor ?? info?.next_cursor ?? null
}

interface Answer {
  /** Time in milliseconds to the last byte; for a file, which may be long, to the first byte. */
  ms: number
  body: string
}

/** Sends a request. @throws Error if it fails */
function sendRequest({ url, headers }: Target, path: string, agent: Agent, isFile = false): Promise<Answer> {
  const started = performance.now()
  return new Promise((resolve, reject) => {
    const outgoing = request(
      `${url}${path}`,
      { headers, ...(isFile ? { agent: false } : { agent }) },
      (response) => {
        const chunks: Buffer[] = []
        const isGood = () =>
          response.statusCode === 200 && (isFile || String(chunks[0]).startsWith('{"code":200'))
        response.on('data', (chunk: Buffer) => {
          const ms = performance.now() - started
          chunks.push(chunk)
          if (!isFile || !isGood()) return
          outgoing.destroy()
          resolve({ ms, body: '' })
        })
        response.on('end', () => {
          const body = Buffer.concat(chunks).toString()
          if (isGood()) resolve({ ms: performance.now() - started, body })
          else reject(new Error(`${path} returned ${response.statusCode} ${body.slice(0, 300)}`))
        })
        response.on('error', reject)
      },
    )
    outgoing.on('error', reject).end()
  })
}
