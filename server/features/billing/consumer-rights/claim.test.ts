import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { getOrders, getSavedPaymentMethod } from '#contract/billing.ts'
import { claimPurchase } from '#contract/consumer-rights.ts'
import { listHistory, saveHistory } from '#contract/library.ts'
import { getUser, registerUser, signIn } from '#contract/members.ts'
import { getEpisode } from '#contract/media.ts'
import { startBillingSite, runJanitorAfter, type BillingSite } from '#server/testing/site/billing-site.ts'
import { Shopper } from '#server/testing/builders/shopper.ts'
import { Subscriber } from '#server/testing/builders/subscriber.ts'
import type { Visitor } from '#server/testing/site/visitor.ts'

const day = 86_400_000
const password = 'nine parts of a drama'
let site: BillingSite

beforeAll(async () => {
  site = await startBillingSite()
})
afterAll(() => site.close())

const episode = (index = 4) => ({
  kind: 'episode' as const,
  episode_id: site.video.episodes[index]?.id ?? '',
})

/** Returns the secrets of the claims that were mailed to an address, latest last. */
async function claimsOf(email: string): Promise<string[]> {
  const mails = await site.mails(email)
  return mails.flatMap(({ text }) => /#claim=([\w-]+)/.exec(text)?.[1] ?? [])
}

/**
 * Creates a guest who has bought an episode. @returns the guest's shopper and address, and the secret in the receipt
 */
async function createBuyer(): Promise<{ shopper: Shopper; email: string; claim: string }> {
  const shopper = await Shopper.create(site)
  await shopper.buy(episode())
  const [claim = ''] = await claimsOf(shopper.email)
  return { shopper, email: shopper.email, claim }
}

const saveParams = { save_method: { terms_text: 'Save this card' } }

/** Creates a guest who has bought an episode and saved the card. */
async function createShopperWithCard() {
  const shopper = await Shopper.create(site)
  await shopper.buy({ ...episode(), ...saveParams })
  const { saved_method: saved } = await shopper.visitor.callOk(getSavedPaymentMethod)
  expect(saved).not.toBeNull()
  const [claim = ''] = await claimsOf(shopper.email)
  return { shopper, saved, claim }
}

const use = async (visitor: Visitor, claim: string) =>
  (await visitor.call(claimPurchase, { body: { secret: claim } })).answer
const canPlay = async (visitor: Visitor, index = 4) =>
  (await visitor.call(getEpisode, { query: { episode_id: site.video.episodes[index]?.id ?? '' } })).answer
    .code === 200
const register = (visitor: Visitor, email: string) =>
  visitor.callOk(registerUser, { body: { email, password, repeat_password: password } })
async function verify(email: string): Promise<void> {
  const change = { email_verified_at: new Date() }
  await site.context.db.updateTable('users').set(change).where('email', '=', email).execute()
}
async function createVisitor(): Promise<Visitor> {
  const visitor = site.visitor()
  await visitor.callOk(getUser)
  return visitor
}

describe('the claim of a receipt', () => {
  it('makes the guest a signed-in member with the receipt’s address and the purchases', async () => {
    const { shopper, email, claim } = await createBuyer()
    const { id } = await shopper.visitor.callOk(getUser)
    expect(await use(shopper.visitor, claim)).toMatchObject({
      code: 200,
      info: { id, role: 'member', email, email_verified: true, has_password: false },
    })
    expect(await shopper.visitor.callOk(getUser)).toMatchObject({ id, role: 'member' })
    expect(await canPlay(shopper.visitor)).toBe(true)
  })

  it('works on another device, which keeps its own records, and signs out the first device', async () => {
    const { shopper, claim } = await createBuyer()
    const { id } = await shopper.visitor.callOk(getUser)
    const device = await createVisitor()
    const [own] = site.video.episodes
    const watched = { video_id: site.video.id, episode_id: own?.id ?? '', position_ms: 5 }
    await device.callOk(saveHistory, { body: { ...watched, at: new Date().toISOString() } })
    expect(await use(device, claim)).toMatchObject({ code: 200, info: { id, role: 'member' } })
    expect(await canPlay(device)).toBe(true)
    expect((await device.callOk(listHistory, { query: { kind: 'watched' } })).list).toHaveLength(1)
    expect(await shopper.visitor.callOk(getUser)).toMatchObject({ role: 'visitor' })
    expect(await canPlay(shopper.visitor)).toBe(false)
  })

  it('moves the purchases to another browser, but detaches the saved card at the gateway', async () => {
    const { saved, claim } = await createShopperWithCard()
    const device = await createVisitor()
    expect(await use(device, claim)).toMatchObject({ code: 200, info: { role: 'member' } })
    expect(await canPlay(device)).toBe(true)
    expect(await device.callOk(getSavedPaymentMethod)).toEqual({ saved_method: null })
    const order = { episode_id: episode(5).episode_id, saved_method_id: saved?.id }
    const member = await Shopper.create(site, device)
    expect(await member.tryOrder(order)).toMatchObject({ code: 500, message: /no longer/ })
    await runJanitorAfter(site, 60_000)
    const methods = site.context.db.selectFrom('payment_methods').select('id')
    expect(await methods.where('id', '=', saved?.id ?? '').execute()).toEqual([])
  })

  it('moves an unpaid order to another browser without the consent to save its card', async () => {
    const { shopper, claim } = await createBuyer()
    const order = await shopper.order({ ...episode(5), ...saveParams })
    const device = await createVisitor()
    expect(await use(device, claim)).toMatchObject({ code: 200 })
    const member = await Shopper.create(site, device)
    const { info } = await member.tryPay(order.id, await member.cardToken())
    expect(info).toMatchObject({ status: 'paid' })
    expect(await device.callOk(getSavedPaymentMethod)).toEqual({ saved_method: null })
  })

  it("keeps the saved card in the guest's own browser", async () => {
    const { shopper, saved, claim } = await createShopperWithCard()
    expect(await use(shopper.visitor, claim)).toMatchObject({ code: 200, info: { role: 'member' } })
    expect(await shopper.visitor.callOk(getSavedPaymentMethod)).toEqual({ saved_method: saved })
    const order = { episode_id: episode(5).episode_id, saved_method_id: saved?.id }
    expect(await shopper.tryOrder(order)).toMatchObject({ code: 200, info: { status: 'paid' } })
  })

  it('merges plan and orders into the verified account of the address if the caller is signed in to that account', async () => {
    const person = await Subscriber.create(site)
    const { email } = person.shopper
    const member = await createVisitor()
    const { id } = await register(member, email.toUpperCase())
    await verify(email.toUpperCase())
    const [claim = ''] = await claimsOf(email)
    expect(await use(member, claim)).toMatchObject({
      info: { id, has_password: true, membership: { state: 'subscribed', method: { last4: '4242' } } },
    })
    const orders = await member.callOk(getOrders)
    expect('list' in orders && orders.list).toHaveLength(1)
    expect(await member.callOk(getUser)).toMatchObject({ id, membership: { state: 'subscribed' } })
  })

  it('removes the password and the sessions of an account whose address was not verified', async () => {
    const { shopper, email, claim } = await createBuyer()
    const stranger = await createVisitor()
    const { id } = await register(stranger, email)
    expect(await use(shopper.visitor, claim)).toMatchObject({
      info: { id, email_verified: true, has_password: false },
    })
    expect(await stranger.callOk(getUser)).toMatchObject({ role: 'visitor' })
    const again = await (await createVisitor()).call(signIn, { body: { email, password } })
    expect(again.answer).toMatchObject({ code: 500 })
    expect(await canPlay(shopper.visitor)).toBe(true)
    expect(await canPlay(stranger)).toBe(false)
  })

  it('verifies the address of a guest who has registered with it since the purchase', async () => {
    const { shopper, email, claim } = await createBuyer()
    const { id } = await register(shopper.visitor, email)
    expect(await use(await createVisitor(), claim)).toMatchObject({
      info: { id, email_verified: true, has_password: false },
    })
  })

  it('does not sign in to the verified account of the address, but works once the owner has signed in', async () => {
    const { email, claim } = await createBuyer()
    const member = await createVisitor()
    const { id } = await register(member, email)
    await verify(email)
    const stranger = await createVisitor()
    expect(await use(stranger, claim)).toMatchObject({ code: 401, message: /sign in first/ })
    expect(await stranger.callOk(getUser)).toMatchObject({ role: 'visitor' })
    expect([await canPlay(stranger), await canPlay(member)]).toEqual([false, false])
    const device = await createVisitor()
    await device.callOk(signIn, { body: { email, password } })
    expect(await use(device, claim)).toMatchObject({ code: 200, info: { id } })
    expect([await canPlay(device), await canPlay(member)]).toEqual([true, true])
    expect(await use(stranger, claim)).toMatchObject({ code: 500 })
  })

  it('changes nothing if the guest has already signed in to the account of the address', async () => {
    const { shopper, email, claim } = await createBuyer()
    const { id } = await register(await createVisitor(), email)
    await verify(email)
    expect(await use(shopper.visitor, claim)).toMatchObject({ code: 401 })
    await shopper.visitor.callOk(signIn, { body: { email, password } })
    expect(await use(shopper.visitor, claim)).toMatchObject({ code: 200, info: { id } })
    expect(await canPlay(shopper.visitor)).toBe(true)
  })
})

describe('a claim is refused', () => {
  it('if this claim or another claim of the guest was already used, even concurrently', async () => {
    const { shopper, email } = await createBuyer()
    await shopper.buy(episode(5))
    const [first = '', second = ''] = await claimsOf(email)
    const tabs = await Promise.all([1, 2, 3, 4, 5].map(() => createVisitor()))
    const answers = await Promise.all(tabs.map((tab, index) => use(tab, index % 2 ? second : first)))
    expect(answers.map(({ code }) => code).toSorted()).toEqual([200, 500, 500, 500, 500])
    const winner = tabs[answers.findIndex(({ code }) => code === 200)] ?? site.visitor()
    expect([await canPlay(winner, 4), await canPlay(winner, 5)]).toEqual([true, true])
    for (const claim of [first, second])
      expect(await use(await createVisitor(), claim)).toMatchObject({
        code: 500,
        message: 'This link was already used or has expired. Request a new one.',
      })
  })

  it('if it has expired, if its secret is unknown, and if the secret has another purpose', async () => {
    const person = await Subscriber.create(site)
    const [claim = ''] = await claimsOf(person.shopper.email)
    const [mail] = await site.mails(person.shopper.email)
    const cancel = /#cancel=([\w-]+)/.exec(mail?.text ?? '')?.[1] ?? ''
    expect(await use(await createVisitor(), cancel)).toMatchObject({ code: 500 })
    expect(await use(await createVisitor(), 'nothing')).toMatchObject({ code: 500 })
    site.advanceClock(401 * day)
    expect(await use(await createVisitor(), claim)).toMatchObject({ code: 500 })
  })

  it('for a member with another address, but then works for a guest', async () => {
    const { claim } = await createBuyer()
    const other = await createVisitor()
    await register(other, 'other@example.com')
    expect(await use(other, claim)).toMatchObject({ code: 409 })
    expect(await canPlay(other)).toBe(false)
    expect(await use(await createVisitor(), claim)).toMatchObject({ code: 200 })
  })

  it('if the purchase already belongs to an account', async () => {
    const { shopper, claim } = await createBuyer()
    await register(shopper.visitor, 'elsewhere@example.com')
    expect(await use(await createVisitor(), claim)).toMatchObject({ code: 500 })
    expect(await canPlay(shopper.visitor)).toBe(true)
    const { shopper: proven, email, claim: late } = await createBuyer()
    await register(proven.visitor, email)
    await verify(email)
    expect(await use(await createVisitor(), late)).toMatchObject({ code: 500 })
  })

  it('if the user has deleted the account', async () => {
    const { shopper, claim } = await createBuyer()
    await shopper.visitor.fetch('/api/user', {
      method: 'DELETE',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    })
    expect(await use(await createVisitor(), claim)).toMatchObject({ code: 500 })
  })
})
