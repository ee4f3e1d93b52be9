import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId } from '#server/platform/ids.ts'
import { moneySite, type MoneySite } from '#server/testing/money-site.ts'
import { type Ended, runScript } from '#server/testing/run-script.ts'
import { Subscriber } from '#server/testing/subscriber.ts'
import { runJanitor } from './janitor.ts'

let site: MoneySite

beforeAll(async () => {
  site = await moneySite()
})
afterAll(() => site.close())

interface Ready {
  someone: Subscriber
  changeId: string
  token: string
}

async function ready(): Promise<Ready> {
  const someone = await Subscriber.on(site)
  return { someone, changeId: newId('pmc'), token: await someone.shopper.token() }
}

/** Changes the card in a process of its own. */
const changeIn = ({ someone, changeId, token }: Ready, when: string, at: number): Promise<Ended> =>
  runScript('change-and-crash.ts', [site.databaseUrl, someone.userId, changeId, token, when, String(at)])

/** `changed`, `as before`, or else how many cards the gateway still has and which it is charged with. */
async function outcomeOf({ someone, changeId }: Ready): Promise<string> {
  const { db } = site.context
  const saving = await db
    .selectFrom('sandbox_savings')
    .select('method_id')
    .where('change_id', '=', changeId)
    .executeTakeFirst()
  const method = await db
    .selectFrom('subscriptions')
    .innerJoin('payment_methods', 'payment_methods.id', 'payment_method_id')
    .select('reference')
    .where('subscriptions.id', '=', someone.subscriptionId)
    .executeTakeFirst()
  const paidWith = await db
    .selectFrom('sandbox_payments')
    .innerJoin('attempts', 'attempts.reference', 'sandbox_payments.id')
    .innerJoin('orders', 'orders.id', 'attempts.order_id')
    .select('method_id')
    .where('orders.user_id', '=', someone.userId)
    .executeTakeFirst()
  const [first, second] = [paidWith?.method_id ?? '', saving?.method_id ?? '']
  const kept = await Promise.all([first, second].map((one) => site.sound.isKept(one)))
  if (method?.reference === second && !kept[0] && kept[1]) return 'changed'
  if (method?.reference === first && kept[0] && !kept[1]) return 'as before'
  return `charged with ${method?.reference}, kept ${kept.join()}`
}

test(
  'killed before any statement of a change of card, or as a commit is sent: the plan is charged with one card, the gateway has that one only, and what was begun comes to an end',
  { timeout: 240_000 },
  async () => {
    const whole = await ready()
    const { printed } = await changeIn(whole, 'never', 0)
    const { statements, commits }: { statements: number; commits: number[] } = JSON.parse(printed)
    const places = [
      ...Array.from({ length: statements }, (_, index) => ({ when: 'before', at: index + 1 })),
      ...commits.map((at) => ({ when: 'sent', at })),
    ]
    const people = await Promise.all(places.map(ready))
    const left = [...places.entries()]
    let killed = 0
    const take = async () => {
      for (let item = left.shift(); item; item = left.shift()) {
        const [index, { when, at }] = item
        const person = people[index]
        if (person && (await changeIn(person, when, at)).signal === 'SIGKILL') killed++
      }
    }
    await Promise.all([take(), take(), take()])
    expect(killed).toBe(places.length)
    for (const wait of [15_000, 30_000, 90_000, 400_000, 4_000_000]) {
      site.moveOn(wait)
      for (let round = 0; round < 10; round++) await runJanitor(site.context)
    }
    const outcomes = await Promise.all([whole, ...people].map(outcomeOf))
    expect(new Set(outcomes)).toEqual(new Set(['changed', 'as before']))
    const open = site.context.db.selectFrom('method_changes').select('id')
    expect(await open.where('status', 'in', ['started', 'unknown']).execute()).toEqual([])
  },
)
