import { afterAll, beforeAll, expect, test } from 'vitest'
import { booksOf } from '#server/testing/books.ts'
import { moneySite, type MoneySite } from '#server/testing/money-site.ts'
import { runScript } from '#server/testing/run-script.ts'
import { Subscriber } from '#server/testing/subscriber.ts'
import { runJanitor } from './janitor.ts'

let site: MoneySite

beforeAll(async () => {
  site = await moneySite()
})
afterAll(() => site.close())

/** The order of somebody's plan, which has the most to take away. */
async function bought(): Promise<{ person: Subscriber; orderId: string }> {
  const person = await Subscriber.on(site)
  const [order] = await person.orders()
  return { person, orderId: order?.id ?? '' }
}

const refundIn = (orderId: string, when: string, at: number) =>
  runScript('refund-and-crash.ts', [site.databaseUrl, orderId, when, String(at)])

async function converge(): Promise<void> {
  for (const wait of [15_000, 30_000, 90_000, 400_000]) {
    site.moveOn(wait)
    await runJanitor(site.context)
  }
}

/** What became of an order and all that hangs on it: `refunded`, `untouched`, or the figures where it is neither. */
async function outcomeOf(person: Subscriber, orderId: string): Promise<string> {
  const { db } = site.context
  const [order] = await person.orders()
  const lines = await db.selectFrom('ledger_lines').select('id').where('order_id', '=', orderId).execute()
  const [payment] = await person.payments('succeeded')
  const { status } = await person.row()
  const mails = (await site.mails(person.shopper.email)).filter(({ subject }) =>
    /money goes back/.test(subject),
  )
  const plays = (await person.plays()) ? 'plays' : 'locked'
  const figures = `${order?.status} ${order?.refunded_cents}, ${payment?.refundedCents} back, ${lines.length} lines, ${status}, ${plays}, ${mails.length} mails`
  const cents = order?.amount_cents
  if (figures === `refunded ${cents}, ${cents} back, 4 lines, ended, locked, 1 mails`) return 'refunded'
  return figures === 'paid 0, 0 back, 2 lines, active, plays, 0 mails' ? 'untouched' : figures
}

test(
  'killed around any commit of a refund, or before a statement between: made once with all that follows, or never begun',
  { timeout: 240_000 },
  async () => {
    const whole = await bought()
    const { printed } = await refundIn(whole.orderId, 'never', 0)
    expect(await outcomeOf(whole.person, whole.orderId)).toBe('refunded')
    const { statements, commits } = JSON.parse(printed) as { statements: number; commits: number[] }
    // The first transaction, the gateway's own, and the second.
    expect(commits).toHaveLength(3)
    const places = [
      ...commits.flatMap((at) => [
        { when: 'before', at },
        { when: 'sent', at },
      ]),
      ...Array.from({ length: 6 }, () => ({
        when: 'before',
        at: 1 + Math.floor(Math.random() * statements),
      })),
    ]
    const crashed: { person: Subscriber; orderId: string }[] = []
    for (let start = 0; start < places.length; start += 3) {
      const some = places.slice(start, start + 3)
      await Promise.all(
        some.map(async ({ when, at }) => {
          const one = await bought()
          expect(await refundIn(one.orderId, when, at)).toMatchObject({ signal: 'SIGKILL' })
          crashed.push(one)
        }),
      )
    }
    await converge()
    const outcomes: string[] = []
    for (const { person, orderId } of crashed) outcomes.push(await outcomeOf(person, orderId))
    expect(new Set(outcomes)).toEqual(new Set(['refunded', 'untouched']))
    const { ours, theirs } = await booksOf(site.context.db, site.sound)
    expect(ours).toBe(theirs)
  },
)
