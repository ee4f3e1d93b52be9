import { afterAll, beforeAll, expect, it } from 'vitest'
import { exportOrders } from '#contract/studio/orders.ts'
import { getStudioSession, listAuditEvents } from '#contract/studio/operators.ts'
import { runStudioCommand } from '#server/cli/studio-command.ts'
import { signInOperator } from '#server/testing/builders/operator.ts'
import { createMember } from '#server/testing/builders/member.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database/test-database.ts'
import { startTestSite, type TestSite } from '#server/testing/site/test-site.ts'

const orders = 2500
let database: TestDatabase
let site: TestSite

beforeAll(async () => {
  database = await createTestDatabase()
  site = await startTestSite({ database })
  await database.pool.query(`
    INSERT INTO users (id, referral_code) VALUES ('usr_1', 'one');
    INSERT INTO orders (id, user_id, kind, status, amount_cents, currency, gateway, method, email, created_at, expires_at)
      SELECT 'ord_' || n, 'usr_1', 'video', CASE WHEN n % 5 = 0 THEN 'expired' ELSE 'pending' END, 499, 'USD', 'sandbox',
        'card', '=cmd|' || n || '@example.com', '2026-01-01T00:00:00Z'::timestamptz + n * interval '1 minute', now()
      FROM generate_series(1, ${orders}) n`)
})
afterAll(() => site.close())

const linesOf = (csv: string) => csv.trimEnd().split('\r\n')

it('the file has all orders, although they are read in pages, and no cell is a formula', async () => {
  const { studio } = await signInOperator(site, 'support')
  const response = await studio.fetch('/api/studio/orders.csv')
  expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8')
  expect(response.headers.get('content-disposition')).toMatch(/^attachment; filename="orders-[\d-]+\.csv"$/)
  const [head, first, ...rest] = linesOf(await response.text())
  expect(head).toMatch(/^order,created_at,paid_at,status,.*,email$/)
  expect(first).toBe(
    `ord_${orders},2026-01-02T17:40:00.000Z,,expired,video,,,4.99,0.00,USD,sandbox,card,usr_1,'=cmd|${orders}@example.com`,
  )
  expect(new Set([first, ...rest].map((line) => line?.split(',')[0])).size).toBe(orders)
})

it('an operator’s third concurrent download is refused', async () => {
  const { studio } = await signInOperator(site, 'owner')
  const { operator } = await studio.callOk(getStudioSession)
  const { concurrencySlots: slots } = site.context
  const ofOperator = [[`files of ${operator.email}`, 2]] as const
  const takenSlots = [slots.take(ofOperator), slots.take(ofOperator)]
  const refused = await fetch(`${site.directUrl}/api/studio/orders.csv`, {
    headers: { cookie: studio.cookie },
  })
  expect([refused.status, Number(refused.headers.get('retry-after')) > 0]).toEqual([429, true])
  for (const done of takenSlots) done()
  const { status } = await fetch(`${site.directUrl}/api/studio/orders.csv`, {
    headers: { cookie: studio.cookie },
  })
  expect(status).toBe(200)
})

it('the file is filtered, and an invalid filter is refused', async () => {
  const { studio } = await signInOperator(site, 'owner')
  const response = await studio.fetch('/api/studio/orders.csv?status=expired&since=2026-01-01T00:11:00Z')
  expect(linesOf(await response.text())).toHaveLength(1 + orders / 5 - 2)
  expect((await studio.fetch('/api/studio/orders.csv?status=lost')).status).toBe(400)
})

it('the file for an analyst omits the buyers', async () => {
  const { studio } = await signInOperator(site, 'analyst')
  const text = await (await studio.fetch('/api/studio/orders.csv')).text()
  expect(linesOf(text)).toHaveLength(1 + orders)
  expect(text).not.toContain('@example.com')
})

it('viewers and editors are refused, and each download has one audit entry', async () => {
  const owner = await signInOperator(site, 'owner')
  const editor = await signInOperator(site, 'editor')
  const { visitor } = await createMember(site)
  for (const who of [editor.studio, visitor, site.visitor()])
    expect((await who.fetch('/api/studio/orders.csv')).status).toBe(403)
  const auditLog = async () =>
    (await owner.studio.callOk(listAuditEvents, { query: { subject: 'orders' } })).list.filter(
      ({ operator }) => operator === owner.email,
    )
  await (await owner.studio.fetch('/api/studio/orders.csv?status=expired')).text()
  expect(await auditLog()).toEqual([
    expect.objectContaining({ event: 'studio order export', details: { after: { status: 'expired' } } }),
  ])
})

it('the file ignores a cursor, and each page that the command returns has an audit entry', async () => {
  const owner = await signInOperator(site, 'owner')
  const { next_cursor } = await owner.studio.callOk(exportOrders)
  const cursor = encodeURIComponent(next_cursor ?? '')
  const file = await (await owner.studio.fetch(`/api/studio/orders.csv?cursor=${cursor}`)).text()
  expect(linesOf(file)).toHaveLength(1 + orders)
  await owner.studio.callOk(exportOrders, { query: { cursor: next_cursor ?? '' } })
  const { list } = await owner.studio.callOk(listAuditEvents, { query: { subject: 'orders' } })
  expect(list.filter(({ operator }) => operator === owner.email)).toHaveLength(3)
})

it('the command returns pages, and the command line prints the whole file', async () => {
  const { studio } = await signInOperator(site, 'owner')
  const first = await studio.callOk(exportOrders)
  const second = await studio.callOk(exportOrders, { query: { cursor: first.next_cursor ?? '' } })
  expect([linesOf(first.csv).length, linesOf(second.csv).length]).toEqual([1001, 1000])
  const whole = await runStudioCommand(site.context, ['order', 'export'])
  expect(linesOf(whole)).toHaveLength(1 + orders)
})
