import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  acceptInvitation,
  beginInvitation,
  closeStudioSession,
  getStudioSession,
  listAuditEvents,
  openStudioSession,
  resetOperator,
} from '#contract/studio/operators.ts'
import { createMember } from '#server/testing/builders/member.ts'
import {
  totpCodeAt,
  invitationSecretOf,
  inviteOperator,
  signInOperator,
  type TestOperator,
} from '#server/testing/builders/operator.ts'
import { startTestSite, type TestSite } from '#server/testing/site/test-site.ts'

let site: TestSite
let owner: TestOperator
/** The site's time. Authenticator codes change every 30 seconds, and each test begins 15 seconds after a change. */
let now = 0

const stepMs = 30_000
const hourMs = 3_600_000
const dayMs = 24 * hourMs
beforeAll(async () => {
  site = await startTestSite({ clock: { now: () => new Date(now) } })
})
afterAll(() => site.close())
beforeEach(async () => {
  now = Math.floor(Date.now() / stepMs) * stepMs + stepMs / 2
  owner = await signInOperator(site, 'owner')
  now += stepMs
})

const code = (operator = owner) => totpCodeAt(operator.secret, new Date(now))
const signIn = (overrides: { password?: string; totp?: string } = {}, email = owner.email) =>
  site.visitor().call(openStudioSession, { body: { email, password: owner.password, ...overrides } })
const codesOf = (answers: readonly { answer: { code: number } }[]) =>
  answers.map(({ answer }) => answer.code).toSorted()

describe('an invitation', () => {
  const body = (secret: string, totp: string) => ({
    secret,
    password: owner.password,
    repeat_password: owner.password,
    code: totp,
  })

  it('sets password and second factor, signs the operator in, and is valid once', async () => {
    const secret = await inviteOperator(site, 'new@example.com', 'editor')
    const visitor = site.visitor()
    const invitation = await visitor.callOk(beginInvitation, { body: { secret } })
    expect(invitation).toMatchObject({
      email: 'new@example.com',
      otpauth_url: expect.stringContaining('Studio'),
    })
    const right = body(secret, totpCodeAt(invitation.secret, new Date(now)))
    const { session: studio, recovery_codes } = await visitor.callOk(acceptInvitation, { body: right })
    expect(studio.operator).toMatchObject({ email: 'new@example.com', role: 'editor' })
    expect(new Set(recovery_codes).size).toBe(10)
    expect((await visitor.callOk(getStudioSession)).operator.email).toBe('new@example.com')
    const again = site.visitor()
    expect((await again.call(acceptInvitation, { body: right })).answer.message).toMatch(/link/i)
    expect((await again.call(beginInvitation, { body: { secret } })).answer.code).toBe(500)
  })

  it('refuses a wrong code of the app, and remains valid', async () => {
    const secret = await inviteOperator(site, 'slow@example.com', 'editor')
    const visitor = site.visitor()
    expect((await visitor.call(acceptInvitation, { body: body(secret, '123456') })).answer.info).toEqual({
      field: 'code',
    })
    const invitation = await visitor.callOk(beginInvitation, { body: { secret } })
    const wrong = totpCodeAt(invitation.secret, new Date(now + 5 * stepMs))
    expect((await visitor.call(acceptInvitation, { body: body(secret, wrong) })).answer.code).toBe(500)
    const right = totpCodeAt(invitation.secret, new Date(now))
    expect((await visitor.call(acceptInvitation, { body: body(secret, right) })).answer.code).toBe(200)
  })

  it('expires after a day, or when another invitation is created', async () => {
    const first = await inviteOperator(site, 'late@example.com', 'support')
    const { link } = await owner.studio.callOk(resetOperator, { body: { email: 'late@example.com' } })
    const begin = (secret: string) => site.visitor().call(beginInvitation, { body: { secret } })
    expect((await begin(first)).answer.code).toBe(500)
    expect((await begin(invitationSecretOf(link))).answer.code).toBe(200)
    now += dayMs
    expect((await begin(invitationSecretOf(link))).answer.code).toBe(500)
  })

  it('signs in only one of two concurrent users', async () => {
    const secret = await inviteOperator(site, 'two@example.com', 'editor')
    const invitation = await site.visitor().callOk(beginInvitation, { body: { secret } })
    const right = body(secret, totpCodeAt(invitation.secret, new Date(now)))
    const both = [site.visitor(), site.visitor()].map((each) => each.call(acceptInvitation, { body: right }))
    expect(codesOf(await Promise.all(both))).toEqual([200, 500])
  })
})

describe('signing in to the studio', () => {
  it('accepts password and code together, and sets the studio’s cookie', async () => {
    const visitor = site.visitor()
    const credentials = { email: owner.email, password: owner.password, totp: code() }
    const { answer, headers } = await visitor.call(openStudioSession, { body: credentials })
    expect(answer.info?.operator).toMatchObject({ email: owner.email, role: 'owner' })
    expect(headers.getSetCookie().find((line) => line.startsWith('operator='))).toMatch(
      /^operator=[\w-]{43}; Path=\/; Max-Age=604800; HttpOnly; SameSite=Lax$/,
    )
    expect((await visitor.callOk(getStudioSession)).operator.email).toBe(owner.email)
  })

  it('requests the missing code after a correct password', async () => {
    expect((await signIn()).answer).toMatchObject({ code: 401, info: { second_factor: 'totp' } })
    expect((await signIn({ password: 'not this one' })).answer).toMatchObject({
      code: 500,
      info: { field: 'password' },
    })
  })

  it('accepts the requested code even after wrong passwords', async () => {
    for (let count = 0; count < 7; count++) {
      expect((await signIn({ password: 'not this one' })).answer.code).toBe(500)
      now += 4000
    }
    expect((await signIn()).answer.code).toBe(401)
    expect((await signIn({ totp: code() })).answer.code).toBe(200)
  })

  it('is refused for some time after wrong codes, even if a code is requested in between', async () => {
    for (let count = 0; count < 5; count++) {
      expect((await signIn()).answer.code).toBe(401)
      expect((await signIn({ totp: '000000' })).answer.code).toBe(500)
    }
    expect((await signIn()).status).toBe(429)
    expect((await signIn({ totp: code() })).status).toBe(429)
  })

  it('has the same response for an unknown address and a wrong password', async () => {
    const unknown = await signIn({}, 'nobody@example.com')
    expect(unknown.answer).toEqual((await signIn({ password: 'not this one' })).answer)
  })

  it('accepts a code once, and a recovery code once', async () => {
    const totp = code()
    expect(codesOf(await Promise.all([signIn({ totp }), signIn({ totp })]))).toEqual([200, 500])
    const [recovery = ''] = owner.recoveryCodes
    expect(codesOf([await signIn({ totp: recovery }), await signIn({ totp: recovery })])).toEqual([200, 500])
  })

  it('is refused for some time after wrong passwords, like the sign-in of a member', async () => {
    for (let count = 0; count < 6; count++) await signIn({ password: 'not this one' })
    expect((await signIn({ totp: code() })).status).toBe(429)
  })

  it('is possible from a known browser during a lockout', async () => {
    const known = site.visitor()
    const attemptSignIn = (visitor = known) =>
      visitor.call(openStudioSession, {
        body: { email: owner.email, password: owner.password, totp: code() },
      })
    expect((await attemptSignIn()).answer.code).toBe(200)
    now += stepMs
    for (let count = 0; count < 6; count++) await signIn({ password: 'not this one' })
    expect((await attemptSignIn(site.visitor())).status).toBe(429)
    expect((await attemptSignIn()).answer.code).toBe(200)
  })

  it('creates a session that expires after 12 hours without use, or after 7 days', async () => {
    const isKnown = async () => (await owner.studio.call(getStudioSession)).answer.code === 200
    now += 12 * hourMs - stepMs - 1000
    expect(await isKnown()).toBe(true)
    now += 12 * hourMs + 1000
    expect(await isKnown()).toBe(false)
    const other = await signInOperator(site, 'analyst')
    for (let half = 0; half < 14; half++) {
      expect((await other.studio.call(getStudioSession)).answer.code).toBe(200)
      now += 12 * hourMs - 1000
    }
    now += 14_000
    expect((await other.studio.call(getStudioSession)).answer.code).toBe(401)
  })

  it('creates a session that can be ended alone or together with all others of the operator', async () => {
    const otherBrowser = site.visitor()
    const credentials = { email: owner.email, password: owner.password, totp: code() }
    await otherBrowser.callOk(openStudioSession, { body: credentials })
    expect(await owner.studio.callOk(closeStudioSession, { body: {} })).toEqual({ ended: 1 })
    expect((await owner.studio.call(getStudioSession)).answer.code).toBe(401)
    expect((await otherBrowser.call(getStudioSession)).answer.code).toBe(200)
    const third = site.visitor()
    now += stepMs
    await third.callOk(openStudioSession, { body: { ...credentials, totp: code() } })
    expect(await third.callOk(closeStudioSession, { body: { everywhere: true } })).toEqual({ ended: 2 })
    expect((await otherBrowser.call(getStudioSession)).answer.code).toBe(401)
  })

  it('does not sign the operator in as a member, and a member’s token gives no access to the studio', async () => {
    const { visitor: member } = await createMember(site)
    expect((await member.call(getStudioSession)).answer.code).toBe(401)
    expect((await owner.studio.fetch('/api/user/session')).status).toBe(200)
    expect(await (await owner.studio.fetch('/api/user/session')).json()).toMatchObject({ code: 401 })
  })

  it('creates a session that another site’s calls cannot use', async () => {
    const headers = { 'sec-fetch-site': 'cross-site' }
    const { status } = await owner.studio.call(closeStudioSession, { body: {}, headers })
    expect(status).toBe(403)
    expect((await owner.studio.call(getStudioSession)).answer.code).toBe(200)
  })

  it('is recorded permanently in the audit log, including failures', async () => {
    await signIn({ password: 'not this one' })
    await signIn({ totp: code() })
    const { rows } = await site.context.database.pool.query(
      'SELECT event FROM audit_events WHERE operator = $1 ORDER BY id',
      [owner.email],
    )
    expect(rows.map(({ event }) => event)).toEqual([
      'operator_invitation_accepted',
      'operator_sign_in_failed',
      'operator_signed_in',
    ])
    expect((await owner.studio.callOk(listAuditEvents)).list.length).toBeGreaterThan(0)
  })

  const failuresOf = async (operator: string | null) => {
    const { rows } = await site.context.database.pool.query<{ details: object }>(
      `SELECT details FROM audit_events WHERE event = 'operator_sign_in_failed' AND operator IS NOT DISTINCT FROM $1 ORDER BY id`,
      [operator],
    )
    return rows.map(({ details }) => details)
  }

  it('is recorded as a wrong code if only the code is wrong, until the lockout', async () => {
    for (let count = 0; count < 12; count++) await signIn({ totp: '000000' })
    const lines = await failuresOf(owner.email)
    expect(lines[0]).toEqual({ password: 'right', code: 'wrong' })
    expect(lines).toHaveLength(5)
  })

  it('with unknown addresses adds at most thirty audit entries an hour', async () => {
    const before = (await failuresOf(null)).length
    for (let count = 0; count < 35; count++) await signIn({}, `nobody${count}@example.com`)
    expect((await failuresOf(null)).length - before).toBeLessThanOrEqual(30)
    expect((await failuresOf(null)).length).toBeGreaterThan(0)
  })
})
