import { Refusal } from '#contract/errors.ts'
import type { Context } from '#server/context.ts'
import {
  createDemoOrder,
  selectLockedEpisodes,
  type LockedEpisodeIds,
} from '#server/features/billing/billing.ts'
import { readSetting, getOrCreateSetting, writeSetting } from '#server/features/catalog/catalog.ts'
import { newId } from '#server/platform/ids.ts'

const episodeOf = ({ id }: LockedEpisodeIds) => ({ kind: 'episode', episode_id: id }) as const
const seriesOf = ({ video_id }: LockedEpisodeIds) => ({ kind: 'video', video_id }) as const

/** The demo members. Each buys one of the top-ups that a new site sells, and makes purchases from it. */
const people: {
  email: string
  topUp: string
  choosePurchases: (locked: LockedEpisodeIds[]) => ReturnType<typeof episodeOf | typeof seriesOf>[]
}[] = [
  { email: 'ada@example.com', topUp: 'top_5', choosePurchases: (locked) => locked.map(episodeOf) },
  // This top-up has a bonus of $1. The first episode uses 99 cents of it.
  { email: 'ben@example.com', topUp: 'top_10', choosePurchases: (locked) => locked.map(episodeOf) },
  {
    email: 'cleo@example.com',
    topUp: 'top_20',
    choosePurchases: (locked) => locked.slice(0, 1).map(seriesOf),
  },
]

const setting = 'demo_balances'
const episodes = 2

interface Plan {
  done: boolean
  people: { userId: string; topUp: string; purchases: string[] }[]
}

/**
 * Creates demo members with a partly spent balance, once, as soon as episodes are on sale. Without them, the studio's
 * figures would be empty. Stores the ids before the first purchase, so that a start after a crash continues with the
 * same ids.
 */
export async function fillDemoBalances(context: Context): Promise<void> {
  const { db, gateways, isBalanceEnabled, log } = context
  if (!isBalanceEnabled || !gateways.some(({ id }) => id === 'sandbox')) return
  if ((await readSetting<Plan>(db, setting))?.done) return
  const locked = await selectLockedEpisodes(db, episodes)
  if (locked.length < episodes) return
  const plan = await getOrCreateSetting<Plan>(db, setting, newPlan())
  for (const [i, ids] of plan.people.entries()) await fillBalance(context, i, ids, locked)
  await writeSetting(db, setting, { ...plan, done: true })
  log.info(`The demo has ${people.length} members with a balance`)
}

function newPlan(): Plan {
  const purchases = () => Array.from({ length: episodes }, () => newId('ord'))
  const ids = () => ({ userId: newId('usr'), topUp: newId('ord'), purchases: purchases() })
  return { done: false, people: people.map(ids) }
}

async function fillBalance(
  context: Context,
  index: number,
  { userId, topUp, purchases }: Plan['people'][number],
  locked: LockedEpisodeIds[],
): Promise<void> {
  const person = people[index]
  if (!person) return
  const { email } = person
  const product = { kind: 'top_up', top_up_id: person.topUp } as const
  try {
    await createDemoOrder(context, { userId, orderId: topUp }, { ...product, gateway: 'sandbox', email })
    for (const [i, goods] of person.choosePurchases(locked).entries())
      await createDemoOrder(
        context,
        { userId, orderId: purchases[i] ?? '' },
        { ...goods, gateway: 'balance' },
      )
  } catch (error) {
    // A refusal means that the operator has replaced the top-ups or changed their prices.
    if (!(error instanceof Refusal)) throw error
    context.log.warn({ err: error }, `The demo's balance of ${email} was not filled`)
  }
}
