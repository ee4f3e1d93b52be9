import { Secret, TOTP } from 'otpauth'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { deleteUser, getUser } from '#contract/members.ts'
import { confirmSocial, linkSocial, unlinkSocial } from '#contract/social.ts'
import {
  startSecondFactorSetup,
  confirmSecondFactor,
  removeSecondFactor,
} from '#server/features/members/credentials/second-factor/second-factor.ts'
import {
  signInWithProvider,
  startSocialSignIn,
  startSocialSite,
  type SocialSite,
} from '#server/testing/site/social-site.ts'
import { eraseIdentities } from '#server/features/members/credentials/erase-identities.ts'

let site: SocialSite
beforeAll(async () => {
  site = await startSocialSite()
})
afterAll(() => site.close())
beforeEach(() => site.useNewIdentity())
afterEach(() => site.resetFaults())

/**
 * Creates a member with this identity and a second factor.
 * @returns the member, and a function that generates the next code
 */
async function createMemberWithTotp() {
  const { id, visitor } = await site.createMember()
  await signInWithProvider(visitor)
  const { context } = site
  const now = () => context.clock.now().getTime()
  const code = await context.db.transaction().execute(async (tx) => {
    const { secret } = await startSecondFactorSetup(tx, context, { id, email: null })
    const totp = new TOTP({ secret: Secret.fromBase32(secret) })
    await confirmSecondFactor(tx, context, { id }, totp.generate({ timestamp: now() }))
    return () => totp.generate({ timestamp: now() })
  })
  site.advanceClock(60_000)
  return { id, visitor, code }
}

const ticketOf = (address: string) => address.split('#ticket=')[1] ?? ''

it('a second factor is requested after the return from the provider, before the user is signed in', async () => {
  const { id, code } = await createMemberWithTotp()
  const visitor = site.visitor()
  const guest = await visitor.callOk(getUser)
  const end = await signInWithProvider(visitor, 'oidc', '?return_to=/my')
  expect(end).toMatch(/^\/login\?social=second_factor&provider=oidc&return_to=%2Fmy#ticket=[\w.-]+$/)
  expect(await visitor.callOk(getUser)).toMatchObject({ id: guest.id, role: 'visitor' })
  const body = { ticket: ticketOf(end), totp: code() }
  expect(await visitor.callOk(confirmSocial, { body })).toMatchObject({ id, role: 'member' })
  expect(await visitor.callOk(getUser)).toMatchObject({ id, role: 'member' })
  const { answer } = await site.visitor().call(confirmSocial, { body })
  expect(answer).toMatchObject({ code: 500, info: { field: 'totp' } })
})

it('a wrong code signs nobody in', async () => {
  const { id, code } = await createMemberWithTotp()
  const visitor = site.visitor()
  await visitor.callOk(getUser)
  const ticket = ticketOf(await signInWithProvider(visitor))
  const totp = String((Number(code()) + 1) % 1_000_000).padStart(6, '0')
  const { answer } = await visitor.call(confirmSocial, { body: { ticket, totp } })
  expect(answer).toMatchObject({ code: 500, info: { field: 'totp' } })
  expect(await visitor.callOk(getUser)).toMatchObject({ role: 'visitor' })
  const { rows } = await site.context.database.pool.query(
    "SELECT details FROM audit_events WHERE event = 'sign_in_failed' AND user_id = $1",
    [id],
  )
  expect(rows).toEqual([{ details: { second_factor: true } }])
})

it('a code signs nobody in after all identities of the member were unlinked', async () => {
  const { id, code } = await createMemberWithTotp()
  const visitor = site.visitor()
  await visitor.callOk(getUser)
  const ticket = ticketOf(await signInWithProvider(visitor))
  // A password reset does this to an account whose address was never verified.
  await site.context.db.transaction().execute(async (tx) => {
    await eraseIdentities(tx, id)
    await removeSecondFactor(tx, id)
  })
  const { answer } = await visitor.call(confirmSocial, { body: { ticket, totp: code() } })
  expect(answer).toMatchObject({ code: 500, info: {} })
  expect(await visitor.callOk(getUser)).toMatchObject({ role: 'visitor' })
})

it('a code signs nobody in after the identity was unlinked, even if another identity of that provider remains', async () => {
  const { id, code } = await createMemberWithTotp()
  const visitor = site.visitor()
  await visitor.callOk(getUser)
  const ticket = ticketOf(await signInWithProvider(visitor))
  await site.context.database.pool.query(
    `WITH gone AS (DELETE FROM social_identities WHERE user_id = $1 RETURNING *)
    INSERT INTO social_identities SELECT issuer, 'another', provider, user_id, created_at, 'idn_another' FROM gone`,
    [id],
  )
  const { answer } = await visitor.call(confirmSocial, { body: { ticket, totp: code() } })
  expect(answer).toMatchObject({ code: 500, info: {} })
})

it('an empty code does not reauthenticate a member without a password', async () => {
  const { id, visitor } = await createMemberWithTotp()
  await site.context.database.pool.query('UPDATE users SET password_hash = NULL WHERE id = $1', [id])
  site.advanceClock(16 * 60_000)
  const totp = ' '
  const answers = [
    await visitor.call(linkSocial, { body: { provider: 'tiktok', totp } }),
    await visitor.call(unlinkSocial, { body: { id: 'idn_any', totp } }),
    await visitor.call(deleteUser, { body: { totp } }),
  ]
  expect(answers.map(({ answer }) => answer)).toMatchObject(answers.map(() => ({ code: 401, info: {} })))
})

it('a code is refused without a valid, unexpired ticket for second factors', async () => {
  const { code } = await createMemberWithTotp()
  const visitor = site.visitor()
  await visitor.callOk(getUser)
  const ticket = ticketOf(await signInWithProvider(visitor))
  await startSocialSignIn(visitor)
  const flow = /social-[^=]+=([^;]+)/.exec(visitor.cookie)?.[1] ?? ''
  const tryWith = async (tried: string) =>
    (await visitor.call(confirmSocial, { body: { ticket: tried, totp: code() } })).answer
  for (const tried of ['', 'a.b', `${ticket}x`, ticket.replace('.', 'x.'), flow])
    expect(await tryWith(tried)).toMatchObject({ code: 500, info: {} })
  site.advanceClock(10 * 60_000 + 1000)
  expect(await tryWith(ticket)).toMatchObject({ code: 500, info: {} })
  expect(await visitor.callOk(getUser)).toMatchObject({ role: 'visitor' })
})
