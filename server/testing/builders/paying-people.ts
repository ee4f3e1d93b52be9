import { changeUser, getUser } from '#contract/members.ts'
import { cancelSubscription } from '#contract/billing.ts'
import { getEpisode, type PlayableEpisode } from '#contract/media.ts'
import { refundOrder } from '#server/features/billing/refunds/refund-order.ts'
import { register } from './member.ts'
import { readLink, type MediaLink } from '#server/testing/media/media-links.ts'
import { buyEpisode, episodeOf, type MoneySite } from '#server/testing/site/money-site.ts'
import { Subscriber } from './subscriber.ts'
import type { Visitor } from '#server/testing/site/visitor.ts'

export const people = [
  'visitor',
  'member',
  'subscriber',
  'lapsed',
  'bought this',
  'bought another',
  'refunded',
] as const
export type PersonName = (typeof people)[number]

/** A viewer with the signed URLs issued to them, by episode number. */
export interface Person {
  visitor: Visitor
  held: Map<number, MediaLink>
}

const minute = 60_000
const week = 7 * 24 * 60 * minute

/** The episodes that every viewer has requested: a free one, and two locked ones of which `bought` is the first. */
export const episodesAsked = { free: 1, bought: 4, another: 5 }

/**
 * Creates one viewer of each kind by real purchases at the sandbox. All signed URLs are valid, including those of viewers who get no
 * more of them. The site's clock is advanced by a week.
 */
export async function makePeople(site: MoneySite): Promise<Record<PersonName, Person>> {
  const lapsed = (await Subscriber.on(site)).shopper.visitor
  await lapsed.ask(cancelSubscription)
  site.moveOn(week - 5 * minute)
  const lapsedPerson = await askAll(site, lapsed)
  const visitor = site.visitor()
  await visitor.ask(getUser)
  const subscriber = await Subscriber.on(site)
  const { shopper: buyer } = await buyEpisode(site, episodesAsked.bought)
  const { shopper: otherBuyer } = await buyEpisode(site, episodesAsked.another)
  const { shopper: refunded, order } = await buyEpisode(site, episodesAsked.bought)
  const everybody = {
    visitor: await askAll(site, visitor),
    member: await askAll(site, (await register(site)).visitor),
    subscriber: await askAll(site, subscriber.shopper.visitor),
    lapsed: lapsedPerson,
    'bought this': await askAll(site, buyer.visitor),
    'bought another': await askAll(site, otherBuyer.visitor),
    refunded: await askAll(site, refunded.visitor),
  }
  await refundOrder(site.context, order.id, { reason: 'goodwill' })
  await subscriber.after(5 * minute + 1000)
  return everybody
}

/** Creates a guest with a row, so that signed URLs are bound to them. */
export async function makeStranger(site: MoneySite): Promise<Visitor> {
  const visitor = site.visitor()
  await visitor.ask(getUser)
  await visitor.ask(changeUser, { body: { display_name: 'Somebody else' } })
  return visitor
}

async function askAll(site: MoneySite, visitor: Visitor): Promise<Person> {
  const held = new Map<number, MediaLink>()
  for (const number of Object.values(episodesAsked)) {
    const { link } = await askToPlay(site, visitor, number)
    if (link) held.set(number, link)
  }
  return { visitor, held }
}

/** Requests an episode. @returns the code, and the signed URL if there is one */
export async function askToPlay(
  site: MoneySite,
  visitor: Visitor,
  number: number,
): Promise<{ code: number; link: MediaLink | undefined; text: string }> {
  const query = { episode_id: episodeOf(site, number) }
  const { answer } = await visitor.call(getEpisode, { query })
  const playable = answer.code === 200 ? (answer.info as PlayableEpisode) : undefined
  const link = playable && readLink(playable.playback.hls_url)
  return { code: answer.code, link, text: JSON.stringify(answer) }
}
