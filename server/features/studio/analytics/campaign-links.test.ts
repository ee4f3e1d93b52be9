import { afterAll, beforeAll, expect, it } from 'vitest'
import { listFunnel } from '#contract/studio/funnel.ts'
import { createLink, listLinks } from '#contract/studio/campaign-links.ts'
import { listAuditEvents } from '#contract/studio/operators.ts'
import { deleteUser } from '#contract/members.ts'
import { refundOrder } from '#server/features/billing/refunds/refund-order.ts'
import { episodeIdOf, startBillingSite, type BillingSite } from '#server/testing/site/billing-site.ts'
import { signInOperator, type TestOperator } from '#server/testing/builders/operator.ts'
import { Shopper } from '#server/testing/builders/shopper.ts'
import { aggregateFunnel } from '#server/features/studio/funnel/aggregate-funnel.ts'

let site: BillingSite
let owner: TestOperator
beforeAll(async () => {
  site = await startBillingSite()
  owner = await signInOperator(site, 'owner')
})
afterAll(() => site.close())

const make = (name: string, episode?: number) =>
  owner.studio.callOk(createLink, {
    body: { video_id: site.video.id, name, ...(episode === undefined ? {} : { episode }) },
  })

/** Buys an episode as a viewer who has used these links. */
async function buyFrom(...tokens: string[]) {
  const shopper = await Shopper.create(site)
  let order
  for (const token of tokens)
    order = await shopper.order({ episode_id: episodeIdOf(site) }, { 'x-referrer-token': token })
  const { info } = await shopper.tryPay(order?.id ?? '', await shopper.cardToken())
  if (info?.status !== 'paid') throw new Error('the order was not paid')
  return { shopper, order: info }
}

it('the address of a link contains the episode and the token of the link, and the audit log names the operator who created the link', async () => {
  const link = await make('Autumn poster', 3)
  expect(link).toMatchObject({
    name: 'Autumn poster',
    video_id: site.video.id,
    episode: 3,
    paid: 0,
    revenue: [],
  })
  expect(link.token).toMatch(/^[a-z2-9]{10}$/)
  expect(link.url).toBe(`http://localhost:3000/videos/${site.video.id}?episode=3&token=${link.token}`)
  expect((await make('Another')).token).not.toBe(link.token)
  const { list } = await owner.studio.callOk(listAuditEvents, { query: { subject: link.id } })
  expect(list).toMatchObject([{ event: 'studio link create', operator: owner.email }])
})

it('a link to a nonexistent episode is refused', async () => {
  const body = { video_id: site.video.id, name: 'Nowhere', episode: 999 }
  expect((await owner.studio.call(createLink, { body })).answer.code).toBe(404)
})

it('purchases and refunds are attributed to the viewer’s last link, even after the account is deleted', async () => {
  const [first, last] = [await make('First'), await make('Last')]
  await buyFrom(first.token)
  const { order } = await buyFrom(first.token, last.token)
  await refundOrder(site.context, order.id, { amountCents: 33, reason: 'goodwill' })
  const { shopper } = await buyFrom(last.token)
  await shopper.visitor.callOk(deleteUser, { body: {} })
  const unpaid = await Shopper.create(site)
  await unpaid.order({ episode_id: episodeIdOf(site) }, { 'x-referrer-token': last.token })
  await aggregateFunnel(site.context.db)
  const { list } = await owner.studio.callOk(listLinks)
  const linkOf = (token: string) => list.find((link) => link.token === token)
  const usd = { currency: 'USD', refunded_cents: 0 }
  expect(linkOf(first.token)).toMatchObject({ paid: 1, sale_revenue: [{ ...usd, gross_cents: 99 }] })
  expect(linkOf(last.token)).toMatchObject({
    paid: 2,
    sale_revenue: [{ ...usd, gross_cents: 198, refunded_cents: 33 }],
  })
})

it('the list of links has the same figures as the funnel, and the same first and last day', async () => {
  const link = await make('Compared')
  await buyFrom(link.token)
  await aggregateFunnel(site.context.db)
  for (const days of [1, 7, 92]) {
    const funnel = await owner.studio.callOk(listFunnel, { query: { by: 'token', days } })
    const links = await owner.studio.callOk(listLinks, { query: { days } })
    const { first_day, last_day } = funnel
    expect(links).toMatchObject({ first_day, last_day })
    const row = funnel.list.find(({ key }) => key === link.token)
    const { key: _key, name: _name, ...figures } = row ?? { key: '', name: '' }
    expect(links.list.find(({ token }) => token === link.token)).toMatchObject(figures)
    expect(figures).toMatchObject({ paid: 1, revenue: [{ gross_cents: 99 }] })
  }
  const until = new Date(Date.parse(site.context.clock.now().toISOString()) - 2 * 86_400_000).toISOString()
  const { list } = await owner.studio.callOk(listLinks, { query: { days: 7, until } })
  expect(list.find(({ token }) => token === link.token)).toMatchObject({ paid: 0, revenue: [] })
})

it('links are listed in pages, newest first', async () => {
  const all = (await owner.studio.callOk(listLinks)).list.map(({ id }) => id)
  const one = await owner.studio.callOk(listLinks, { query: { limit: 1 } })
  const rest = await owner.studio.callOk(listLinks, { query: { cursor: one.next_cursor ?? '' } })
  expect([...one.list, ...rest.list].map(({ id }) => id)).toEqual(all)
  expect(rest.next_cursor).toBeNull()
})
