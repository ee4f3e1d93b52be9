import { afterAll, beforeAll, expect, test } from 'vitest'
import { Shopper } from '#server/testing/shopper.ts'
import { getUser } from '#contract/members.ts'
import { balance } from '#server/testing/books.ts'
import { moneySite, type MoneySite } from '#server/testing/money-site.ts'
import { type Ended, runScript } from '#server/testing/run-script.ts'
import { runJanitor } from './janitor.ts'

let site: MoneySite

beforeAll(async () => {
  site = await moneySite()
})
afterAll(() => site.close())

interface Ready {
  userId: string
  orderId: string
  token: string
}

async function readyToPay(kind: 'episode' | 'plan'): Promise<Ready> {
  const shopper = await Shopper.on(site)
  const plan = await shopper.plan(7)
  const order = await shopper.order(
    kind === 'plan' ? { kind, plan_id: plan.id } : { episode_id: site.video.episodes[3]?.id },
  )
  const { id } = await shopper.visitor.ask(getUser)
  return { userId: id, orderId: order.id, token: await shopper.token() }
}

/** Pays in a process of its own. */
const payIn = ({ userId, orderId, token }: Ready, when: string, at: number): Promise<Ended> =>
  runScript('pay-and-crash.ts', [site.databaseUrl, userId, orderId, token, when, String(at)])

/** Does the work a few at a time: each is a process of its own. */
async function eachOf<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const left = [...items]
  const take = async () => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item)
  }
  await Promise.all(Array.from({ length: 3 }, take))
}

/** Lets the janitor of a new process do its rounds until nothing is open any more. */
async function converge(): Promise<void> {
  for (const wait of [15_000, 30_000, 90_000, 400_000, 4_000_000]) {
    site.moveOn(wait)
    for (let round = 0; round < 10; round++) await runJanitor(site.context)
  }
}

/** What became of an order: `sold` is paid, charged once and given once; `untouched` none of these; else the figures. */
async function outcomeOf(orderId: string): Promise<string> {
  const { db } = site.context
  const order = await db
    .selectFrom('orders')
    .select('status')
    .where('id', '=', orderId)
    .executeTakeFirstOrThrow()
  const given = await db.selectFrom('entitlements').select('id').where('order_id', '=', orderId).execute()
  const payments = (await site.sound.listSince(new Date(0))).filter(
    (payment) => payment.orderId === orderId && payment.status === 'succeeded',
  )
  const lines = await db.selectFrom('ledger_lines').select('id').where('order_id', '=', orderId).execute()
  const figures = `${order.status}, ${payments.length} charged, ${given.length} given, ${lines.length} lines`
  return (
    { 'paid, 1 charged, 1 given, 2 lines': 'sold', 'pending, 0 charged, 0 given, 0 lines': 'untouched' }[
      figures
    ] ?? figures
  )
}

async function wholeRun(kind: 'episode' | 'plan'): Promise<{ statements: number; commits: number[] }> {
  const ready = await readyToPay(kind)
  const { printed } = await payIn(ready, 'never', 0)
  expect(await outcomeOf(ready.orderId)).toBe('sold')
  return JSON.parse(printed)
}

async function crashAt(kind: 'episode' | 'plan', places: { when: string; at: number }[]) {
  const crashed: { orderId: string; place: string; killed: boolean }[] = []
  await eachOf(places, async ({ when, at }) => {
    const ready = await readyToPay(kind)
    const { signal } = await payIn(ready, when, at)
    crashed.push({ orderId: ready.orderId, place: `${when} ${at}`, killed: signal === 'SIGKILL' })
  })
  await converge()
  const outcomes = await Promise.all(
    crashed.map(async ({ orderId, place }) => ({ place, outcome: await outcomeOf(orderId) })),
  )
  const open = await site.context.db
    .selectFrom('attempts')
    .select('id')
    .where('status', 'in', ['started', 'unknown'])
    .execute()
  expect(open).toEqual([])
  const books = await balance(site.context.db)
  expect(books.ours).toBe(books.theirs)
  return { killed: crashed.filter(({ killed }) => killed).length, outcomes }
}

test(
  'killed before any statement of paying an episode, or as a commit is sent: charged once and unlocked once, or neither',
  { timeout: 240_000 },
  async () => {
    const { statements, commits } = await wholeRun('episode')
    const places = [
      ...Array.from({ length: statements }, (_, index) => ({ when: 'before', at: index + 1 })),
      ...commits.map((at) => ({ when: 'sent', at })),
    ]
    const { killed, outcomes } = await crashAt('episode', places)
    expect(killed).toBe(places.length)
    expect(outcomes.filter(({ outcome }) => outcome !== 'sold' && outcome !== 'untouched')).toEqual([])
    expect(new Set(outcomes.map(({ outcome }) => outcome))).toEqual(new Set(['sold', 'untouched']))
  },
)

test(
  'killed at any moment of paying a plan: one subscription charged once, or none',
  { timeout: 240_000 },
  async () => {
    const { statements } = await wholeRun('plan')
    const second = Array.from({ length: 6 }, (_, index) => ({ when: 'before', at: statements - index }))
    const moments = Array.from({ length: 6 }, () => ({ when: 'after', at: Math.floor(Math.random() * 40) }))
    const { outcomes } = await crashAt('plan', [...second, ...moments])
    expect(outcomes.filter(({ outcome }) => outcome !== 'sold' && outcome !== 'untouched')).toEqual([])
  },
)
