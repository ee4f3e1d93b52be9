import { changeUser, getUser } from '#contract/members.ts'
import { cancelSubscription } from '#contract/billing.ts'
import { getEpisode, type PlayableEpisode } from '#contract/media.ts'
import { refundOrder } from '#server/features/billing/refunds/refund-order.ts'
import { createMember } from './member.ts'
import { parseMediaLink, type MediaLink } from '#server/testing/media/media-links.ts'
import { buyEpisode, episodeIdOf, type BillingSite } from '#server/testing/site/billing-site.ts'
import { Subscriber } from './subscriber.ts'
import type { Visitor } from '#server/testing/site/visitor.ts'

export const viewerKinds = [
  'visitor',
  'member',
  'subscriber',
  'expired plan',
  'bought this',
  'bought another',
  'refunded',
] as const
export type ViewerKind = (typeof viewerKinds)[number]

/** A viewer, and the signed URLs that the site has issued to the viewer, by episode number. */
export interface ViewerWithLinks {
  visitor: Visitor
  held: Map<number, MediaLink>
}

const minute = 60_000
const week = 7 * 24 * 60 * minute

/**
 * Numbers of the episodes that every viewer requests: a free one and two locked ones. The viewer `bought another` buys
 * `another`; the viewers `bought this` and `refunded` buy `bought`.
 */
export const testEpisodes = { free: 1, bought: 4, another: 5 }

/**
 * Creates one viewer of each kind, by real purchases at the sandbox. All their signed URLs are still valid, even if the
 * viewer's access has ended since. Advances the site's clock by a week.
 */
export async function createViewersOfEachKind(
  site: BillingSite,
): Promise<Record<ViewerKind, ViewerWithLinks>> {
  // Links expire at multiples of five minutes, so links that are issued right after such a multiple are valid longest.
  const step = 5 * minute
  site.advanceClock(step - (site.context.clock.now().getTime() % step))
  const expiring = (await Subscriber.create(site)).shopper.visitor
  await expiring.callOk(cancelSubscription)
  site.advanceClock(week - step)
  const expiredSubscriber = await requestAllLinks(site, expiring)
  const visitor = site.visitor()
  await visitor.callOk(getUser)
  const subscriber = await Subscriber.create(site)
  const { shopper: buyer } = await buyEpisode(site, testEpisodes.bought)
  const { shopper: otherBuyer } = await buyEpisode(site, testEpisodes.another)
  const { shopper: refunded, order } = await buyEpisode(site, testEpisodes.bought)
  const viewers = {
    visitor: await requestAllLinks(site, visitor),
    member: await requestAllLinks(site, (await createMember(site)).visitor),
    subscriber: await requestAllLinks(site, subscriber.shopper.visitor),
    'expired plan': expiredSubscriber,
    'bought this': await requestAllLinks(site, buyer.visitor),
    'bought another': await requestAllLinks(site, otherBuyer.visitor),
    refunded: await requestAllLinks(site, refunded.visitor),
  }
  await refundOrder(site.context, order.id, { reason: 'goodwill' })
  await subscriber.advanceAndRenew(step + 1000)
  return viewers
}

/** Creates another guest, with a stored row. */
export async function createOtherGuest(site: BillingSite): Promise<Visitor> {
  const visitor = site.visitor()
  await visitor.callOk(getUser)
  await visitor.callOk(changeUser, { body: { display_name: 'Somebody else' } })
  return visitor
}

async function requestAllLinks(site: BillingSite, visitor: Visitor): Promise<ViewerWithLinks> {
  const links = new Map<number, MediaLink>()
  for (const number of Object.values(testEpisodes)) {
    const { link } = await requestPlayback(site, visitor, number)
    if (link) links.set(number, link)
  }
  return { visitor, held: links }
}

/** Requests an episode. @returns the status code, and the signed URL if the response contains one */
export async function requestPlayback(
  site: BillingSite,
  visitor: Visitor,
  number: number,
): Promise<{ code: number; link: MediaLink | undefined; text: string }> {
  const query = { episode_id: episodeIdOf(site, number) }
  const { answer } = await visitor.call(getEpisode, { query })
  const playable = answer.code === 200 ? (answer.info as PlayableEpisode) : undefined
  const link = playable && parseMediaLink(playable.playback.hls_url)
  return { code: answer.code, link, text: JSON.stringify(answer) }
}
