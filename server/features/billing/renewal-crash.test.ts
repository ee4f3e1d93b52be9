import { afterAll, beforeAll, expect, test } from 'vitest'
import { balance } from '#server/testing/books.ts'
import { moneySite, type MoneySite } from '#server/testing/money-site.ts'
import { runScript } from '#server/testing/run-script.ts'
import { Subscriber } from '#server/testing/subscriber.ts'
import { runJanitor } from './janitor.ts'
import { renewSubscriptions } from './renew-subscriptions.ts'

const minute = 60_000
const day = 24 * 60 * minute
let site: MoneySite

beforeAll(async () => {
  site = await moneySite()
})
afterAll(() => site.close())

/** Somebody whose period ended a minute ago, by the clock of any process. */
async function due(): Promise<Subscriber> {
  const person = await Subscriber.on(site)
  const ended = new Date(Date.now() - minute)
  await site.context.db
    .updateTable('subscriptions')
    .set({ period_ends_at: ended, try_at: ended, due_at: new Date(Date.now() + 10 * minute) })
    .where('id', '=', person.subscriptionId)
    .execute()
  return person
}

const renewIn = (person: Subscriber, when: string, at: number) =>
  runScript('renew-and-crash.ts', [site.databaseUrl, person.subscriptionId, when, String(at)])

async function converge(): Promise<void> {
  for (const wait of [15_000, 30_000, 90_000, 400_000, 4_000_000]) {
    site.moveOn(wait)
    await runJanitor(site.context)
    await renewSubscriptions(site.context)
  }
}

test(
  'killed around any commit of a renewal, or at any statement between: charged once, one period on, and the books agree',
  { timeout: 240_000 },
  async () => {
    const whole = await due()
    const { printed } = await renewIn(whole, 'never', 0)
    const { statements, commits } = JSON.parse(printed) as { statements: number; commits: number[] }
    expect(commits.length).toBeGreaterThanOrEqual(3)
    const places = [
      ...commits.flatMap((at) => [
        { when: 'before', at },
        { when: 'sent', at },
      ]),
      ...Array.from({ length: 4 }, () => ({
        when: 'before',
        at: 1 + Math.floor(Math.random() * statements),
      })),
    ]
    const people: Subscriber[] = []
    for (const { when, at } of places) {
      const person = await due()
      expect(await renewIn(person, when, at)).toMatchObject({ signal: 'SIGKILL' })
      people.push(person)
    }
    await converge()
    for (const person of [whole, ...people]) {
      expect(await person.payments('succeeded')).toHaveLength(2)
      expect(await person.row()).toMatchObject({ status: 'active', period_no: 1 })
      expect((await person.orders()).map(({ status }) => status)).toEqual(['paid', 'paid'])
    }
    const { ours, theirs } = await balance(site.context.db)
    expect(ours).toBe(theirs)
  },
)

test('what a process had taken when it died is taken by another once its time is over', async () => {
  const person = await Subscriber.on(site)
  site.moveOn(7 * day)
  const dying = new AbortController()
  const now = () => {
    dying.abort()
    return site.context.clock.now()
  }
  await renewSubscriptions({ ...site.context, clock: { now } }, dying.signal)
  await person.after(5 * minute)
  expect(await person.payments()).toHaveLength(1)
  await person.after(6 * minute)
  expect(await person.payments()).toHaveLength(2)
})
