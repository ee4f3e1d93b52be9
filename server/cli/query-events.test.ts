import { randomUUID } from 'node:crypto'
import { DuckDBConnection } from '@duckdb/node-api'
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest'
import { runStudioCommand } from './studio-command.ts'
import { archiveEvents } from '#server/features/tracking/archive/archive-events.ts'
import { queryArchive } from '#server/features/tracking/tracking.ts'
import { createEventPartitions } from '#server/features/tracking/event-partitions.ts'
import { dayMs } from '#server/platform/clock.ts'
import { formatUtcDay } from '#server/platform/utc-days.ts'
import { startTestSite, type TestSite } from '#server/testing/site/test-site.ts'

let site: TestSite
const daysAgo = (days: number) => new Date(Date.now() - days * dayMs)
const [older, newer] = [daysAgo(9), daysAgo(5)]

beforeAll(async () => {
  site = await startTestSite()
  const { db } = site.context
  await createEventPartitions(db, [older, newer])
  const events = [
    { at: older, name: 'visit' },
    { at: older, name: '=1+1' },
    { at: newer, name: 'visit' },
  ]
  await db
    .insertInto('events')
    .values(events.map((event) => ({ ...event, id: randomUUID(), fields: '{}' })))
    .execute()
  await expect(run('SELECT 1')).rejects.toThrow('EVENTS_ARCHIVE')
  await archiveEvents(site.context, new AbortController().signal)
})
afterAll(() => site.close())

const run = (...args: string[]) => runStudioCommand(site.context, ['events', 'query', ...args])
const byName = 'SELECT name, count(*) AS events FROM events GROUP BY name ORDER BY name'

it('prints the result of a query as a table, as CSV or as JSON', async () => {
  expect(await run(byName)).toBe('NAME   EVENTS\n=1+1   1\nvisit  2')
  expect(await run(byName, '--csv')).toBe("name,events\r\n'=1+1,1\r\nvisit,2")
  expect(JSON.parse(await run(byName, '--json'))).toEqual([
    { name: '=1+1', events: 1 },
    { name: 'visit', events: 2 },
  ])
  expect(await run('SELECT name FROM events WHERE false')).toBe('No results.')
})

it('reads only the given days', async () => {
  const count = 'SELECT count(*) AS events FROM events'
  expect(JSON.parse(await run(count, '--json', '--from', formatUtcDay(newer)))).toEqual([{ events: 1 }])
  expect(JSON.parse(await run(count, '--json', '--to', formatUtcDay(older)))).toEqual([{ events: 2 }])
  await expect(run(count, '--from', 'yesterday')).rejects.toThrow('2026-11-22')
})

it.each([
  ["SELECT * FROM read_text('/etc/passwd')", 'disabled by configuration'],
  ["SELECT * FROM read_csv('package.json')", 'disabled by configuration'],
  ["SELECT * FROM glob('/*')", 'disabled by configuration'],
  ["COPY (SELECT 1) TO '/tmp/events.csv'", 'disabled by configuration'],
  ['SET enable_external_access = true', 'SELECT'],
  ['CREATE TABLE copied AS FROM events', 'SELECT'],
  ['SELECT 1; SELECT 2', 'SELECT'],
  ['SELECT nothing FROM events', 'nothing'],
  ['FROM range(100001)', '100000 rows'],
])('refuses %s with a readable message', async (query, sentence) => {
  await expect(run(query)).rejects.toThrow(sentence)
})

it('leaves the archive unchanged if a query tries to write to it', async () => {
  const { db: _, storage } = site.context
  const path = await storage.getLocalPath(`archive/events/day=${formatUtcDay(older)}/events.parquet`, '')
  await expect(run(`COPY (SELECT 1) TO '${path}' (FORMAT parquet, USE_TMP_FILE false)`)).rejects.toThrow(
    'SELECT',
  )
  expect(await run(byName)).toContain('visit  2')
})

it('stops a query that is interrupted while it is parsed', async () => {
  const stopping = new AbortController()
  const parse = DuckDBConnection.prototype.extractStatements
  const parsing = vi.spyOn(DuckDBConnection.prototype, 'extractStatements').mockImplementation(function (
    this: DuckDBConnection,
    sql,
  ) {
    stopping.abort()
    return parse.call(this, sql)
  })
  onTestFinished(() => parsing.mockRestore())
  const endless =
    'SELECT count(*) FROM range(100000000) AS a, range(100000000) AS b WHERE a.range % 7 = b.range % 11'
  await expect(queryArchive(site.context.storage, { sql: endless }, stopping.signal)).rejects.toThrow(
    'Stopped.',
  )
  expect(parsing).toHaveBeenCalledOnce()
})
