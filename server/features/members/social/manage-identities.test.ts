import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { getUser } from '#contract/members.ts'
import { linkSocial, listSocialProviders, unlinkSocial } from '#contract/social.ts'
import { hashPassword } from '#server/features/members/credentials/passwords/passwords.ts'
import {
  grantConsent,
  finishSocialSignIn,
  signInWithProvider,
  locationOf,
  startSocialSite,
  type SocialSite,
} from '#server/testing/site/social-site.ts'
import type { Visitor } from '#server/testing/site/visitor.ts'

const current_password = 'a quiet lighthouse'
const longAgo = 16 * 60_000

let site: SocialSite
let passwordHash: string
beforeAll(async () => {
  site = await startSocialSite()
  passwordHash = await hashPassword(current_password)
})
afterAll(() => site.close())
beforeEach(() => site.useNewIdentity())
afterEach(() => site.resetFaults())

const query = (text: string, values: unknown[]) => site.context.database.pool.query(text, values)
const linkedOf = async (visitor: Visitor) => (await visitor.callOk(listSocialProviders)).linked

/** Creates a member with an e-mail and this password, who has linked an identity of the issuer. */
async function linkedMember(email = `${String(site.claims['sub'])}@mine.example`) {
  const { id, visitor } = await site.createMember(email)
  await query('UPDATE users SET password_hash = $2 WHERE id = $1', [id, passwordHash])
  await signInWithProvider(visitor)
  const [identity] = await linkedOf(visitor)
  return { id, email, visitor, identity: identity?.id ?? '' }
}

/** Creates a member through the issuer, without a password. */
async function socialMember() {
  const visitor = site.visitor()
  await signInWithProvider(visitor)
  const [identity] = await linkedOf(visitor)
  return { visitor, id: (await visitor.callOk(getUser)).id, identity: identity?.id ?? '' }
}

const unlink = async (visitor: Visitor, body: { id: string; current_password?: string }) =>
  (await visitor.call(unlinkSocial, { body })).answer

describe('linked identities', () => {
  it('are shown only to their owner', async () => {
    const { visitor } = await linkedMember()
    const linked = [
      {
        id: expect.stringMatching(/^idn_[0-9a-f]{32}$/),
        provider: 'oidc',
        name: 'House',
        account_name: site.claims['email'],
        linked_at: expect.any(String),
      },
    ]
    expect(await linkedOf(visitor)).toEqual(linked)
    expect(await linkedOf(site.visitor())).toEqual([])
    expect(await linkedOf((await site.createMember()).visitor)).toEqual([])
  })

  it('at a provider whose keys are not configured are named by the host of its issuer', async () => {
    const { id, visitor } = await linkedMember()
    await query("UPDATE social_identities SET provider = 'google', issuer = $2 WHERE user_id = $1", [
      id,
      'https://elsewhere.example/',
    ])
    expect(await linkedOf(visitor)).toMatchObject([{ provider: 'google', name: 'elsewhere.example' }])
  })
})

describe('two profiles at one provider', () => {
  it('both belong to the member, can be used to sign in, are shown with their names and can be removed separately', async () => {
    const { id, visitor, email, identity } = await linkedMember()
    const first = site.claims
    site.useNewIdentity()
    // An unverified address is not stored, so the identity is shown with the name instead.
    Object.assign(site.claims, { name: 'Ada at work', email_verified: false })
    expect(await signInWithProvider(visitor)).toBe('/individual')
    const linked = await linkedOf(visitor)
    expect(linked).toMatchObject([
      { id: identity, provider: 'oidc', account_name: first['email'] },
      { provider: 'oidc', account_name: 'Ada at work' },
    ])
    for (const claims of [first, site.claims]) {
      Object.assign(site, { claims })
      const otherBrowser = site.visitor()
      await signInWithProvider(otherBrowser)
      expect(await otherBrowser.callOk(getUser)).toMatchObject({ id, email })
    }
    expect(await unlink(visitor, { id: identity, current_password })).toMatchObject({ code: 200 })
    expect(await linkedOf(visitor)).toMatchObject([{ account_name: 'Ada at work' }])
  })

  it('are stored without a name if the provider sends no usable name', async () => {
    const { visitor } = await site.createMember()
    await signInWithProvider(visitor, 'facebook')
    site.useNewIdentity()
    Object.assign(site.claims, { name: '\u0000 ', email: 'no address' })
    await signInWithProvider(visitor)
    expect(await linkedOf(visitor)).toMatchObject([
      { provider: 'facebook', account_name: 'Ada' },
      { provider: 'oidc', account_name: null },
    ])
  })
})

describe('a profile of another member', () => {
  it('cannot be linked until that member unlinks it', async () => {
    const owner = await linkedMember()
    const { id, visitor } = await site.createMember()
    const alreadyLinked = '/individual?social=already_linked&provider=oidc&return_to=%2Findividual'
    expect(await signInWithProvider(visitor)).toBe(alreadyLinked)
    expect(await linkedOf(visitor)).toEqual([])
    expect(await linkedOf(owner.visitor)).toMatchObject([{ id: owner.identity }])
    expect(await unlink(owner.visitor, { id: owner.identity, current_password })).toMatchObject({ code: 200 })
    expect(await signInWithProvider(visitor)).toBe('/individual')
    expect(await site.identitiesOf(id)).toHaveLength(1)
  })
})

describe('unlinking', () => {
  it('removes the identity, writes an audit event and mails the member', async () => {
    const { id, email, visitor, identity } = await linkedMember()
    expect(await unlink(visitor, { id: identity, current_password })).toMatchObject({
      code: 200,
      info: { linked: [] },
    })
    expect(await site.identitiesOf(id)).toEqual([])
    const later = site.visitor()
    await signInWithProvider(later)
    expect((await later.callOk(getUser)).id).not.toBe(id)
    const { rows } = await query('SELECT event, details FROM audit_events WHERE user_id = $1 ORDER BY id', [
      id,
    ])
    const details = { provider: 'oidc' }
    expect(rows).toEqual(['identity_linked', 'identity_unlinked'].map((event) => ({ event, details })))
    const mails = await site.mails(email)
    expect(mails.map(({ subject }) => subject)).toContain('A way to sign in was removed')
  })

  it('requires the password if the member has one', async () => {
    const { id, visitor, identity } = await linkedMember()
    for (const wrong of [{}, { current_password: 'not my password' }])
      expect(await unlink(visitor, { id: identity, ...wrong })).toMatchObject({
        code: 500,
        info: { field: 'current_password' },
      })
    expect(await site.identitiesOf(id)).toHaveLength(1)
  })

  it('requires a recent sign-in if the member has no password', async () => {
    const { id, visitor, identity } = await socialMember()
    await signInWithProvider(visitor, 'tiktok')
    site.advanceClock(longAgo)
    expect(await unlink(visitor, { id: identity })).toMatchObject({ code: 401 })
    expect(await site.identitiesOf(id)).toHaveLength(2)
  })

  it('is not possible for guests or for another member’s identity', async () => {
    const { id, identity } = await linkedMember()
    const guest = site.visitor()
    await guest.callOk(getUser)
    expect(await unlink(guest, { id: identity })).toMatchObject({ code: 401 })
    site.useNewIdentity()
    const other = await linkedMember()
    expect(await unlink(other.visitor, { id: identity, current_password })).toMatchObject({ code: 404 })
    expect(await site.identitiesOf(id)).toHaveLength(1)
  })
})

describe('the last sign-in method', () => {
  const refused = { code: 500, message: expect.stringContaining('your only way to sign in') }

  it('cannot be removed', async () => {
    const { id, visitor, identity } = await socialMember()
    expect(await unlink(visitor, { id: identity })).toMatchObject(refused)
    expect(await site.identitiesOf(id)).toHaveLength(1)
  })

  it('can be removed once another identity is linked, which then cannot be removed', async () => {
    const { visitor, identity } = await socialMember()
    await signInWithProvider(visitor, 'tiktok')
    expect(await unlink(visitor, { id: identity })).toMatchObject({ code: 200 })
    const [other] = await linkedOf(visitor)
    expect(await unlink(visitor, { id: other?.id ?? '' })).toMatchObject(refused)
  })

  it('cannot be removed if the keys of the other identity’s provider are not configured', async () => {
    const { id, visitor, identity } = await socialMember()
    await signInWithProvider(visitor, 'tiktok')
    await query(
      "UPDATE social_identities SET provider = 'google' WHERE user_id = $1 AND provider = 'tiktok'",
      [id],
    )
    expect(await unlink(visitor, { id: identity })).toMatchObject(refused)
  })

  it('cannot be removed if the member has a password but no e-mail', async () => {
    const { id, visitor, identity } = await linkedMember()
    await query('UPDATE users SET email = NULL WHERE id = $1', [id])
    expect(await unlink(visitor, { id: identity, current_password })).toMatchObject(refused)
  })
})

describe('linking long after signing in', () => {
  const prove = '/individual?social=reauthenticate&provider=oidc&return_to=%2Fmy'
  const link = async (
    visitor: Visitor,
    body: { provider: string; return_to?: string; current_password?: string },
  ) => (await visitor.call(linkSocial, { body })).answer

  it('requires the password first', async () => {
    const { id, visitor } = await site.createMember()
    await query('UPDATE users SET password_hash = $2 WHERE id = $1', [id, passwordHash])
    site.advanceClock(longAgo)
    const start = await visitor.fetch('/api/user/social/oidc?return_to=/my')
    expect([start.status, locationOf(start)]).toEqual([303, prove])
    expect(visitor.cookie).not.toContain('social-')
    const body = { provider: 'oidc', return_to: '/my' }
    for (const wrong of [{}, { current_password: 'not my password' }])
      expect(await link(visitor, { ...body, ...wrong })).toMatchObject({
        code: 500,
        info: { field: 'current_password' },
      })
    const { url } = await visitor.callOk(linkSocial, { body: { ...body, current_password } })
    expect(await finishSocialSignIn(visitor, await grantConsent(url))).toBe('/my')
    expect(await site.identitiesOf(id)).toHaveLength(1)
  })

  it('requires a new sign-in if the member has no password', async () => {
    const { visitor } = await socialMember()
    site.advanceClock(longAgo)
    expect(await link(visitor, { provider: 'tiktok' })).toMatchObject({ code: 401 })
    const again = site.visitor()
    await signInWithProvider(again)
    expect(await signInWithProvider(again, 'tiktok')).toBe('/individual')
  })

  it('returns to a path of this site, whatever address was requested', async () => {
    const { id, visitor } = await site.createMember()
    await query('UPDATE users SET password_hash = $2 WHERE id = $1', [id, passwordHash])
    const body = { provider: 'oidc', return_to: '//evil.example', current_password }
    const { url } = await visitor.callOk(linkSocial, { body })
    expect(await finishSocialSignIn(visitor, await grantConsent(url))).toBe('/individual')
  })

  it('is refused for guests and for providers that are not offered', async () => {
    const { visitor } = await linkedMember()
    expect(await link(visitor, { provider: 'google', current_password })).toMatchObject({ code: 404 })
    expect(await link(site.visitor(), { provider: 'oidc' })).toMatchObject({ code: 401 })
  })
})
