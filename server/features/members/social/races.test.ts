import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { getUser } from '#contract/members.ts'
import { listSocialProviders, unlinkSocial } from '#contract/social.ts'
import {
  grantConsent,
  finishSocialSignIn,
  signInWithProvider,
  startSocialSignIn,
  startSocialSite,
  type SocialSite,
} from '#server/testing/site/social-site.ts'
import { waitForLock } from '#server/testing/database/wait-for-lock.ts'
import type { Visitor } from '#server/testing/site/visitor.ts'

let site: SocialSite
beforeAll(async () => {
  site = await startSocialSite()
})
afterAll(() => site.close())
beforeEach(() => site.useNewIdentity())
afterEach(() => site.resetFaults())

const callbackFor = async (visitor: Visitor, provider = 'oidc') =>
  grantConsent(await startSocialSignIn(visitor, provider))

it('two concurrent sign-ins with one identity create one account', async () => {
  const browsers = [site.visitor(), site.visitor()]
  const callbacks = await Promise.all(browsers.map((each) => callbackFor(each)))
  const ends = await Promise.all(
    browsers.map((each, index) => finishSocialSignIn(each, callbacks[index] ?? '')),
  )
  expect(ends).toEqual(['/', '/'])
  const [one, other] = await Promise.all(browsers.map((each) => each.callOk(getUser)))
  expect(one).toMatchObject({ role: 'member', id: other?.id })
})

it('one identity that two members link concurrently belongs to one of them, and the other gets an error', async () => {
  const members = await Promise.all([site.createMember(), site.createMember()])
  const ends = await Promise.all(members.map(({ visitor }) => signInWithProvider(visitor)))
  expect(ends.toSorted()).toEqual([
    '/individual',
    '/individual?social=already_linked&provider=oidc&return_to=%2Findividual',
  ])
  const identities = await Promise.all(members.map(({ id }) => site.identitiesOf(id)))
  expect(identities.flat()).toHaveLength(1)
})

it('a guest who concurrently signs in with two identities in two tabs is registered once', async () => {
  const visitor = site.visitor()
  const { id } = await visitor.callOk(getUser)
  const callbacks = [await callbackFor(visitor), await callbackFor(visitor, 'tiktok')]
  const tabs = callbacks.map(() => {
    const tab = site.visitor()
    tab.cookie = visitor.cookie
    return tab
  })
  const ends = await Promise.all(tabs.map((tab, index) => finishSocialSignIn(tab, callbacks[index] ?? '')))
  expect(ends.filter((end) => end === '/')).toHaveLength(1)
  expect(ends.filter((end) => end.startsWith('/login?social=expired'))).toHaveLength(1)
  expect(await site.identitiesOf(id)).toHaveLength(1)
})

it('an e-mail that is taken concurrently is reported as taken', async () => {
  const { pool } = site.context.database
  const visitor = site.visitor()
  const callback = await callbackFor(visitor)
  const other = await pool.connect()
  await other.query('BEGIN')
  await other.query(
    `INSERT INTO users (id, email, referral_code, member_since) VALUES ('usr_other', $1, 'other', now())`,
    [site.claims['email']],
  )
  const end = finishSocialSignIn(visitor, callback)
  await waitForLock(pool)
  await other.query('COMMIT')
  other.release()
  expect(await end).toBe('/login?social=has_account&provider=oidc&return_to=%2F')
  expect(await visitor.callOk(getUser)).toMatchObject({ role: 'visitor' })
  expect(await site.identitiesOf('usr_other')).toEqual([])
})

it('a user can sign in with an identity that another browser linked between two queries', async () => {
  const { pool } = site.context.database
  const visitor = site.visitor()
  const callback = await callbackFor(visitor)
  const { email, sub } = site.claims
  const other = await pool.connect()
  await other.query('BEGIN')
  await other.query(
    `INSERT INTO users (id, email, referral_code, member_since) VALUES ('usr_same', $1, 'same', now())`,
    [email],
  )
  await other.query(`INSERT INTO social_identities VALUES ($1, $2, 'oidc', 'usr_same', now(), 'idn_same')`, [
    site.issuer.issuer.url,
    sub,
  ])
  // The sign-in first looks for the identity, which is not committed yet. Then it looks for the e-mail address in
  // `users`, and waits for this lock.
  await other.query('LOCK TABLE users IN ACCESS EXCLUSIVE MODE')
  const end = finishSocialSignIn(visitor, callback)
  await waitForLock(pool)
  await other.query('COMMIT')
  other.release()
  expect(await end).toBe('/')
  expect(await visitor.callOk(getUser)).toMatchObject({ id: 'usr_same', role: 'member' })
})

it('one of two concurrent callbacks with the same state is accepted', async () => {
  const visitor = site.visitor()
  const callback = await callbackFor(visitor)
  const copy = site.visitor()
  copy.cookie = visitor.cookie
  const ends = await Promise.all([finishSocialSignIn(visitor, callback), finishSocialSignIn(copy, callback)])
  expect(ends.toSorted()).toEqual(['/', '/login?social=expired&provider=oidc&return_to=%2F'])
})

it('only one of the last two sign-in methods can be removed if both are removed concurrently', async () => {
  const visitor = site.visitor()
  for (const provider of ['oidc', 'tiktok'])
    await finishSocialSignIn(visitor, await callbackFor(visitor, provider))
  const { id } = await visitor.callOk(getUser)
  const { linked } = await visitor.callOk(listSocialProviders)
  expect(linked).toHaveLength(2)
  const answers = await Promise.all(
    linked.map((identity) => visitor.call(unlinkSocial, { body: { id: identity.id } })),
  )
  expect(answers.map(({ answer }) => answer.code).toSorted()).toEqual([200, 500])
  expect(await site.identitiesOf(id)).toHaveLength(1)
})
