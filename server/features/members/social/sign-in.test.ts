import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { changeUser, getUser } from '#contract/members.ts'
import {
  grantConsent,
  finishSocialSignIn,
  signInWithProvider,
  startSocialSignIn,
  locationOf,
  startSocialSite,
  type SocialSite,
} from '#server/testing/site/social-site.ts'

let site: SocialSite
beforeAll(async () => {
  site = await startSocialSite()
})
afterAll(() => site.close())
beforeEach(() => site.useNewIdentity())
afterEach(() => site.resetFaults())

describe('a first visit', () => {
  it('turns the guest into a member with the same id and profile', async () => {
    const visitor = site.visitor()
    const { id } = await visitor.callOk(getUser)
    await visitor.callOk(changeUser, { body: { display_name: 'Grace' } })
    expect(await signInWithProvider(visitor, 'oidc', '?return_to=/videos/vid_1?episode=3')).toBe(
      '/videos/vid_1?episode=3',
    )
    expect(await visitor.callOk(getUser)).toMatchObject({
      id,
      role: 'member',
      display_name: 'Grace',
      email: site.claims.email,
      email_verified: true,
      has_password: false,
    })
    expect(await site.identitiesOf(id)).toEqual([{ provider: 'oidc', subject: site.claims.sub }])
  })

  it("keeps the guest's referrer link", async () => {
    const visitor = site.visitor()
    const { id } = await visitor.callOk(getUser, { headers: { 'x-referrer-token': 'spring' } })
    await signInWithProvider(visitor)
    const users = await site.context.db
      .selectFrom('attribution')
      .select('first_touch')
      .where('user_id', '=', id)
      .execute()
    expect(users).toEqual([{ first_touch: { referrer_token: 'spring' } }])
  })

  it('gives a session to the guest’s browser, but not to other browsers with the guest’s cookie', async () => {
    const visitor = site.visitor()
    await visitor.callOk(getUser)
    await visitor.callOk(changeUser, { body: { language: 'en' } })
    const thief = site.visitor()
    thief.cookie = visitor.cookie
    await signInWithProvider(visitor)
    expect(await thief.callOk(getUser)).toMatchObject({ role: 'visitor' })
  })

  it('uses the name, but not an e-mail that the provider has not verified', async () => {
    site.claims.email_verified = false
    const visitor = site.visitor()
    expect(await signInWithProvider(visitor)).toBe('/')
    expect(await visitor.callOk(getUser)).toMatchObject({
      role: 'member',
      display_name: 'Ada',
      email: null,
      email_verified: false,
    })
  })

  it('requests the issuer’s user info if the token lacks the profile', async () => {
    const userInfo = { sub: site.claims.sub, email: site.claims.email, email_verified: true, name: 'Asked' }
    site.claims = { sub: site.claims.sub }
    site.issuer.service.once('beforeUserinfo', (answer: { body: unknown }) => void (answer.body = userInfo))
    const visitor = site.visitor()
    await signInWithProvider(visitor)
    expect(await visitor.callOk(getUser)).toMatchObject({ email: userInfo.email, display_name: 'Asked' })
  })

  it.each(['facebook', 'tiktok'])(
    'creates a member without an e-mail for %s, which does not verify e-mail addresses',
    async (provider) => {
      const visitor = site.visitor()
      const { id } = await visitor.callOk(getUser)
      expect(await signInWithProvider(visitor, provider)).toBe('/')
      expect(await visitor.callOk(getUser)).toMatchObject({
        id,
        role: 'member',
        display_name: 'Ada',
        email: null,
      })
      expect(await site.identitiesOf(id)).toEqual([{ provider, subject: site.fakeProviders.profile.id }])
    },
  )
})

it('the register hooks run at the first visit, but not at the second', async () => {
  const registered: unknown[] = []
  const { lifecycleHooks } = site.context
  const { register } = lifecycleHooks
  lifecycleHooks.register = [async (_tx, member) => void registered.push(member)]
  const visitor = site.visitor()
  await signInWithProvider(visitor)
  await signInWithProvider(site.visitor())
  lifecycleHooks.register = register
  const { id, email } = await visitor.callOk(getUser)
  expect(registered).toEqual([expect.objectContaining({ id, email })])
})

describe('a returning user', () => {
  it('is signed in to the same account, and the calling guest is merged into that account', async () => {
    const first = site.visitor()
    await signInWithProvider(first)
    const { id } = await first.callOk(getUser)
    const second = site.visitor()
    const guest = await second.callOk(getUser)
    await second.callOk(changeUser, { body: { display_name: 'Somebody' } })
    expect(await signInWithProvider(second)).toBe('/')
    expect(await second.callOk(getUser)).toMatchObject({ id, role: 'member', display_name: 'Ada' })
    const { rows } = await site.context.database.pool.query('SELECT merged_into FROM users WHERE id = $1', [
      guest.id,
    ])
    expect(rows).toEqual([{ merged_into: id }])
  })
})

describe('an e-mail that an account already has', () => {
  it.each([
    ['verified', true],
    ['not verified', false],
  ])('(%s in that account) does not sign the user in to that account', async (_words, verified) => {
    const owner = await site.createMember(String(site.claims.email).toUpperCase(), verified)
    const stranger = site.visitor()
    const { id } = await stranger.callOk(getUser)
    const end = await signInWithProvider(stranger, 'oidc', '?return_to=/shopping')
    expect(end).toBe('/login?social=has_account&provider=oidc&return_to=%2Fshopping')
    expect(await stranger.callOk(getUser)).toMatchObject({ id, role: 'visitor' })
    expect(await site.identitiesOf(owner.id)).toEqual([])
  })

  it('is linked if the user signs in to that account and then starts again', async () => {
    const owner = await site.createMember(String(site.claims.email))
    await signInWithProvider(site.visitor())
    expect(await signInWithProvider(owner.visitor)).toBe('/individual')
    expect(await site.identitiesOf(owner.id)).toEqual([{ provider: 'oidc', subject: site.claims.sub }])
    const later = site.visitor()
    await signInWithProvider(later)
    expect(await later.callOk(getUser)).toMatchObject({ id: owner.id, role: 'member' })
  })

  it('is ignored if the provider has not verified it, so the new member has no e-mail', async () => {
    const owner = await site.createMember(String(site.claims.email))
    site.claims.email_verified = false
    const stranger = site.visitor()
    expect(await signInWithProvider(stranger)).toBe('/')
    const user = await stranger.callOk(getUser)
    expect(user).toMatchObject({ role: 'member', email: null })
    expect(user.id).not.toBe(owner.id)
    expect(await site.identitiesOf(owner.id)).toEqual([])
  })

  it('from Facebook is ignored', async () => {
    const owner = await site.createMember('ada@example.com')
    const stranger = site.visitor()
    expect(await signInWithProvider(stranger, 'facebook')).toBe('/')
    expect((await stranger.callOk(getUser)).id).not.toBe(owner.id)
  })
})

describe('a member who starts a flow at a provider', () => {
  it('links the identity, even repeatedly, and keeps the e-mail', async () => {
    const { id, visitor } = await site.createMember('mine@example.com')
    expect(await signInWithProvider(visitor, 'tiktok', '?return_to=/my')).toBe('/my')
    expect(await signInWithProvider(visitor, 'tiktok')).toBe('/individual')
    expect(await signInWithProvider(visitor)).toBe('/individual')
    expect((await site.identitiesOf(id)).map(({ provider }) => provider)).toEqual(['oidc', 'tiktok'])
    expect(await visitor.callOk(getUser)).toMatchObject({ id, email: 'mine@example.com' })
    const subjects = (await site.mails('mine@example.com')).map(({ subject }) => subject)
    expect(subjects).toEqual([1, 2].map(() => 'New way to sign in to your account'))
  })

  it('gets an error if the identity is another account’s', async () => {
    const other = site.visitor()
    await signInWithProvider(other)
    const { id, visitor } = await site.createMember()
    expect(await signInWithProvider(visitor)).toBe(
      '/individual?social=already_linked&provider=oidc&return_to=%2Findividual',
    )
    expect(await site.identitiesOf(id)).toEqual([])
    expect(await visitor.callOk(getUser)).toMatchObject({ id })
  })

  it('can link an identity only if a page of this site made the request', async () => {
    const { visitor } = await site.createMember()
    const start = (headers: Record<string, string>) => visitor.fetch('/api/user/social/oidc', { headers })
    for (const fetchSite of ['cross-site', 'same-site', 'none']) {
      const response = await start({ 'sec-fetch-site': fetchSite })
      expect([response.status, locationOf(response)]).toEqual([303, '/login'])
    }
  })

  it('must start again after another user has signed in during the flow', async () => {
    const { id, visitor } = await site.createMember()
    const callback = await grantConsent(await startSocialSignIn(visitor))
    const flow = visitor.cookie.split('; ').find((each) => each.startsWith('social-')) ?? ''
    const { visitor: another } = await site.createMember()
    another.cookie += `; ${flow}`
    expect(await finishSocialSignIn(another, callback)).toMatch(/^\/individual\?social=expired/)
    expect(await site.identitiesOf(id)).toEqual([])
  })
})

it('the audit log records a linking, a sign-in and a registration by a provider, without personal data', async () => {
  const { id, visitor } = await site.createMember()
  await signInWithProvider(visitor)
  await signInWithProvider(site.visitor())
  site.useNewIdentity()
  const other = site.visitor()
  await signInWithProvider(other)
  const { rows } = await site.context.database.pool.query(
    'SELECT event, details FROM audit_events WHERE user_id = ANY ($1) ORDER BY id',
    [[id, (await other.callOk(getUser)).id]],
  )
  const details = { provider: 'oidc' }
  expect(rows).toEqual(
    ['identity_linked', 'signed_in', 'account_created'].map((event) => ({ event, details })),
  )
})

describe('a user who deletes the account', () => {
  it('can export the identities, which the deletion then erases', async () => {
    const visitor = site.visitor()
    await signInWithProvider(visitor)
    const { id } = await visitor.callOk(getUser)
    const { lifecycleHooks, db } = site.context
    const parts = await Promise.all(lifecycleHooks.export.map((part) => part(db, id)))
    expect(Object.assign({}, ...parts)).toMatchObject({
      identities: [{ provider: 'oidc', subject: site.claims.sub, issuer: site.issuer.issuer.url }],
    })
    await db.transaction().execute(async (tx) => {
      for (const erase of lifecycleHooks.erase) await erase(tx, id, new Date())
    })
    expect(await site.identitiesOf(id)).toEqual([])
  })
})
