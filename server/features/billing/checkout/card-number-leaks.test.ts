import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createOrder, payOrder } from '#contract/billing.ts'
import { getUser } from '#contract/members.ts'
import { runSecondSite } from '#server/testing/site/run-second-site.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database/test-database.ts'
import { createEmptyWebRoot } from '#server/testing/site/test-site.ts'
import { testCards } from '#server/testing/builders/shopper.ts'
import { Visitor } from '#server/testing/site/visitor.ts'

const number = testCards.pays
const spaced = '4242 4242-4242 4242'
const typed = [number, spaced]

let database: TestDatabase
let site: Awaited<ReturnType<typeof runSecondSite>>
let dataDir: string

beforeAll(async () => {
  database = await createTestDatabase()
  dataDir = mkdtempSync(join(tmpdir(), 'cliffhanger-card-'))
  const env = {
    DATA_DIR: dataDir,
    LOG_LEVEL: 'debug',
    RATE_LIMIT_API_PER_USER: '9999/s',
    RATE_LIMIT_CONTACT_PER_IP: '9999/s',
  }
  site = await runSecondSite({ env, databaseUrl: database.url, webRoot: createEmptyWebRoot(dataDir) })
})
afterAll(async () => {
  await site.close()
  await database.close()
  rmSync(dataDir, { recursive: true, force: true })
})

/** Returns all rows of all tables as text. */
async function everyRow(): Promise<string> {
  const { rows: tables } = await database.pool.query<{ name: string }>(
    "SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')",
  )
  const texts: string[] = []
  for (const { name } of tables) {
    const { rows } = await database.pool.query<{ row: string }>(`SELECT t::text AS row FROM ${name} AS t`)
    texts.push(...rows.map(({ row }) => row))
  }
  return texts.join('\n')
}

const json = (body: object | string) => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: typeof body === 'string' ? body : JSON.stringify(body),
})
/** Returns requests of the site's forms, with the card number in their fields. */
const forms = (card: string): [string, RequestInit][] => {
  const mail = `${card}@example.com`
  const person = { email: 'ada@example.com', password: 'a long pass phrase' }
  return [
    ['/sandbox/tokens', json({ number: card, expiry: '12 / 40', cvv: '123' })],
    ['/sandbox/tokens', json(`{"number": "${card}", oops`)],
    ['/api/payment/order', json({ kind: 'plan', plan_id: card, gateway: 'sandbox', email: mail })],
    ['/api/payment/order', json({ kind: 'plan', gateway: 'sandbox', email: mail, card })],
    ['/api/payment/order', json(`{"email": ${card}, oops`)],
    [
      '/api/payment/pay',
      json({ order_id: card, payment_token: card, first_name: card, last_name: `No ${card}` }),
    ],
    [`/api/payment?order_id=${card}`, {}],
    [`/api/payment/${card}`, {}],
    [`/api/video?id=${card}`, {}],
    [`/api/tag?keyword=${card}`, {}],
    [`/api/homepage/query?keyword=${card}`, {}],
    [`/api/statics.png?event=search&keyword=${card}`, {}],
    ['/api/user', json({ display_name: card })],
    ['/api/user', json({ email: mail, current_password: card })],
    ['/api/user/register', json({ ...person, email: mail, repeat_password: person.password })],
    ['/api/user/register', json({ ...person, repeat_password: person.password, display_name: card })],
    ['/api/user/login', json({ email: mail, password: card })],
    ['/api/user/password/forgot', json({ email: mail })],
    ['/api/contact', json({ name: card, email: person.email, message: 'Hello' })],
    ['/api/contact', json({ name: 'Ada', email: mail, message: 'Hello' })],
    ['/api/contact', json({ name: 'Ada', email: person.email, message: `My card is ${card}, help!` })],
    ['/api/webhook/payment/sandbox', json({ id: card, payment: card })],
  ]
}

test('a card number in any field appears in no log and no table', async () => {
  const visitor = new Visitor(site.url)
  await visitor.callOk(getUser)
  for (const card of typed)
    for (const [path, request] of forms(card)) {
      const { status } = await visitor.fetch(encodeURI(path), request)
      expect([path, status < 500]).toEqual([path, true])
    }
  const token = await tokenFor(visitor, number)
  const plans = await database.pool.query<{ id: string }>('SELECT id FROM plans')
  const body = {
    kind: 'plan',
    plan_id: plans.rows[0]?.id,
    gateway: 'sandbox',
    email: 'ada@example.com',
  } as const
  const { id } = await visitor.callOk(createOrder, { body })
  const paid = await visitor.callOk(payOrder, {
    body: { order_id: id, payment_token: token, first_name: 'Ada', last_name: 'Lovelace' },
  })
  expect(paid.status).toBe('paid')
  await visitor.fetch('/api/statics.png?event=the_last')
  await expect.poll(everyRow).toContain('the_last')
  const [rows, log] = [await everyRow(), site.printed()]
  // Proves that the search would find a leaked number.
  expect(rows).toContain('ada@example.com')
  expect(log).toContain('a call was invalid')
  for (const card of [...typed, ...typed.map(encodeURIComponent)])
    expect([rows.includes(card), log.includes(card)]).toEqual([false, false])
})

async function tokenFor(visitor: Visitor, card: string): Promise<string> {
  const response = await visitor.fetch(
    '/sandbox/tokens',
    json({ number: card, expiry: '12 / 40', cvv: '123' }),
  )
  return ((await response.json()) as { token: string }).token
}
