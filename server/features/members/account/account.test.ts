import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import {
  changeUser,
  deleteUser,
  endSessions,
  exportUser,
  getUser,
  listSessions,
  registerUser,
  signIn,
  signOut,
} from '#contract/members.ts'
import { password, registerMember } from '#server/testing/builders/register-member.ts'
import { startTestSite, type TestSite } from '#server/testing/site/test-site.ts'
import type { Visitor } from '#server/testing/site/visitor.ts'
import type { LifecycleHooks } from '#server/features/members/lifecycle-hooks.ts'

let site: TestSite
let offset = 0
/** The current time if the clock does not advance; undefined otherwise. */
let stoppedAt: number | undefined
/** The user ids with which the `erase` hook was called. */
const erased: string[] = []

const lifecycleHooks: Partial<LifecycleHooks> = {
  erase: [async (_tx, userId) => void erased.push(userId)],
  export: [async (_db, userId) => ({ of_a_feature: [userId] })],
}

beforeAll(async () => {
  site = await startTestSite({
    clock: { now: () => new Date(stoppedAt ?? Date.now() + offset) },
    lifecycleHooks,
  })
})
afterAll(() => site.close())

async function guest(): Promise<Visitor> {
  const visitor = site.visitor()
  await visitor.callOk(getUser)
  return visitor
}
const query = async (text: string, values: unknown[] = []) =>
  (await site.context.database.pool.query(text, values)).rows
const rowOf = async (id: string) => (await query('SELECT * FROM users WHERE id = $1', [id]))[0]
const eventsOf = async (id: string) =>
  (await query('SELECT event FROM audit_events WHERE user_id = $1 ORDER BY id', [id])).map((row) => row.event)

describe('registering', () => {
  const registration = { email: 'ada@example.com', password, repeat_password: password }
  const taken = 'taken@example.com'
  beforeAll(async () => {
    await site.visitor().callOk(registerUser, { body: { ...registration, email: taken } })
  })

  it('turns the guest into a member with the same id and profile', async () => {
    const visitor = await guest()
    const { id } = await visitor.callOk(changeUser, {
      body: { display_name: 'Ada', consent: { marketing: true } },
    })
    const { headers, answer } = await visitor.call(registerUser, { body: registration })
    expect(answer.info).toMatchObject({
      id,
      role: 'member',
      email: 'ada@example.com',
      email_verified: false,
      display_name: 'Ada',
      consent: { marketing: true },
      has_password: true,
      second_factor: false,
    })
    expect(headers.get('x-user-token')).toMatch(/^m\.ses_/)
    expect((await visitor.callOk(getUser)).id).toBe(id)
    expect(await eventsOf(id)).toEqual(['consent_changed', 'account_created'])
  })

  it('stores the password only as a hash', async () => {
    const { user } = await registerMember(site)
    expect((await rowOf(user.id)).password_hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  })

  it('works without a token, and stores the given name', async () => {
    const body = { ...registration, email: 'bo@example.com', display_name: '  Bo  ' }
    expect(await site.visitor().callOk(registerUser, { body })).toMatchObject({
      role: 'member',
      display_name: 'Bo',
    })
  })

  it.each([
    ['email', 'has no @', { email: 'ada.example.com' }],
    ['email', 'is taken, ignoring case', { email: taken.toUpperCase() }],
    ['email', 'has 255 characters', { email: `${'a'.repeat(243)}@example.com` }],
    ['email', 'has 600 characters', { email: `${'a'.repeat(588)}@example.com` }],
    ['password', 'has 600 characters', { password: 'ab c'.repeat(150), repeat_password: 'ab c'.repeat(150) }],
    ['password', 'is short', { password: 'short', repeat_password: 'short' }],
    ['password', 'is common', { password: 'password123', repeat_password: 'password123' }],
    ['repeat_password', 'differs', { repeat_password: 'something else' }],
    ['display_name', 'is empty', { display_name: ' ' }],
    ['display_name', 'has only invisible characters', { display_name: '\u200B\u2060\u00AD' }],
    ['display_name', 'has 65 characters', { display_name: 'x'.repeat(65) }],
    ['display_name', 'has 600 characters', { display_name: 'x'.repeat(600) }],
  ])('refuses and names the field %s if it %s', async (field, _what, change) => {
    const visitor = await guest()
    const { status, answer } = await visitor.call(registerUser, {
      body: { ...registration, email: 'new@example.com', ...change },
    })
    expect([status, answer]).toMatchObject([200, { code: 500, info: { field }, message: expect.any(String) }])
    expect((await visitor.callOk(getUser)).role).toBe('visitor')
  })

  it('counts the length of a name in visible characters', async () => {
    const body = { ...registration, email: 'smile@example.com', display_name: '😀'.repeat(64) }
    expect((await site.visitor().callOk(registerUser, { body })).display_name).toBe('😀'.repeat(64))
  })

  it('allows one account per address, whatever the spelling of its accents and domain', async () => {
    const register = (email: string) =>
      site
        .visitor()
        .call(registerUser, { body: { ...registration, email } })
        .then(({ answer }) => answer)
    expect(await register('zoe\u0308@xn--exmple-cua.com')).toMatchObject({
      code: 200,
      info: { email: 'zoë@exämple.com' },
    })
    expect(await register('zoë@exämple.com')).toMatchObject({ code: 500, info: { field: 'email' } })
    expect(await register('zo\u200Bë@exämple.com')).toMatchObject({ code: 500, info: { field: 'email' } })
    const body = { email: 'Zoë@exa\u0308mple.com', password }
    expect((await site.visitor().call(signIn, { body })).answer.code).toBe(200)
  })

  it('is refused for a signed-in member', async () => {
    const { visitor } = await registerMember(site)
    expect(
      (await visitor.call(registerUser, { body: { ...registration, email: 'x@example.com' } })).answer.code,
    ).toBe(409)
  })

  it('is limited per network, and attempts with a taken e-mail count too', async () => {
    const strict = await startTestSite({}, { RATE_LIMIT_REGISTER_PER_IP: '2/h' })
    onTestFinished(() => strict.close())
    const register = (email: string) =>
      strict.visitor().call(registerUser, { body: { ...registration, email } })
    expect((await register('early@example.com')).answer.code).toBe(200)
    expect((await register('early@example.com')).answer).toMatchObject({
      code: 500,
      info: { field: 'email' },
    })
    const { status, headers } = await register('late@example.com')
    expect(status).toBe(429)
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(3500)
  })
})

describe('changing', () => {
  it('applies name, language and consent at once, for guests and members', async () => {
    for (const visitor of [await guest(), (await registerMember(site)).visitor]) {
      const body = { display_name: ' Ada ', language: 'fy', consent: { marketing: false } }
      const changed = { display_name: 'Ada', language: 'fy', consent: { marketing: false } }
      expect(await visitor.callOk(changeUser, { body })).toMatchObject(changed)
      const { id, ...user } = await visitor.callOk(getUser)
      expect(user).toMatchObject(changed)
      expect(await rowOf(id)).toMatchObject({
        consent_at: expect.any(Date),
        consent_version: expect.any(String),
      })
    }
  })

  it('requires a member, and the current password, to change e-mail or password', async () => {
    const { visitor } = await registerMember(site)
    const changes = [{ email: 'new-one@example.com' }, { new_password: 'another good one' }]
    for (const change of changes) {
      const asGuest = await (
        await guest()
      ).call(changeUser, { body: { ...change, current_password: password } })
      expect([asGuest.status, asGuest.answer.code]).toEqual([200, 401])
      for (const current_password of [undefined, 'not the password']) {
        const { answer } = await visitor.call(changeUser, { body: { ...change, current_password } })
        expect(answer).toMatchObject({ code: 500, info: { field: 'current_password' } })
      }
    }
  })

  it('does not apply a new e-mail at once, and refuses an e-mail that another account has', async () => {
    const { visitor, email } = await registerMember(site)
    const body = { email: 'moved@example.com', current_password: password }
    expect(await visitor.callOk(changeUser, { body })).toMatchObject({ email })
    const existing = await registerMember(site)
    const { answer } = await visitor.call(changeUser, { body: { ...body, email: existing.email } })
    expect(answer).toMatchObject({ code: 500, info: { field: 'email' } })
  })

  it('ends every other session after a password change, and gives the current session a new token', async () => {
    const { visitor, user, email } = await registerMember(site)
    const other = await guest()
    await other.callOk(signIn, { body: { email, password } })
    const old = visitor.cookie
    const { headers } = await visitor.call(changeUser, {
      body: { current_password: password, new_password: 'another good one' },
    })
    expect(headers.getSetCookie().join()).toContain('session=')
    expect(await visitor.callOk(getUser)).toMatchObject({ id: user.id, role: 'member' })
    expect((await other.callOk(getUser)).id).not.toBe(user.id)
    expect((await site.visitor({ cookie: old }).callOk(getUser)).id).not.toBe(user.id)
    const again = await guest()
    expect((await again.call(signIn, { body: { email, password } })).answer.code).toBe(500)
    expect((await again.callOk(signIn, { body: { email, password: 'another good one' } })).id).toBe(user.id)
    expect(await eventsOf(user.id)).toContain('password_changed')
  })

  it('refuses a new password that breaks the rules', async () => {
    const { visitor } = await registerMember(site)
    const body = { current_password: password, new_password: 'short' }
    expect((await visitor.call(changeUser, { body })).answer).toMatchObject({
      info: { field: 'new_password' },
    })
  })

  it('throttles guesses at the current password', async () => {
    const { visitor } = await registerMember(site)
    const tryOne = () =>
      visitor.call(changeUser, { body: { current_password: 'guess', new_password: 'another good one' } })
    // Stops the clock. Otherwise, on a slow machine, the first delay of one second could have passed before the next
    // call.
    stoppedAt = Date.now() + offset
    onTestFinished(() => void (stoppedAt = undefined))
    for (let tries = 0; tries < 5; tries++) expect((await tryOne()).answer.code).toBe(500)
    expect((await tryOne()).status).toBe(429)
  })

  it('does not throttle after the correct password, even if the change was refused', async () => {
    const { visitor } = await registerMember(site)
    const existing = await registerMember(site)
    const change = (current_password: string, email = existing.email) =>
      visitor.call(changeUser, { body: { current_password, email } })
    for (let tries = 0; tries < 4; tries++) await change('guess')
    expect((await change(password)).answer).toMatchObject({ code: 500, info: { field: 'email' } })
    expect((await change('guess')).answer.info).toEqual({ field: 'current_password' })
    expect((await change(password, 'moves@example.com')).answer.code).toBe(200)
  })

  it('refuses an unknown language and names its field', async () => {
    const { answer } = await (await guest()).call(changeUser, { body: { language: 'xx' } })
    expect(answer).toMatchObject({ code: 500, info: { field: 'language' } })
  })
})

describe('sessions', () => {
  const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
  const iphone =
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1'

  async function twice() {
    const member = await registerMember(site, site.visitor({ 'user-agent': firefox }))
    const phone = site.visitor({ 'user-agent': iphone })
    offset += 1000
    await phone.callOk(signIn, { body: { email: member.email, password } })
    return { ...member, phone }
  }

  it('are listed for members only, with their devices, the latest first', async () => {
    const { visitor, phone } = await twice()
    const { list } = await phone.callOk(listSessions)
    expect(list).toMatchObject([
      { device: 'Safari · iPhone', current: true },
      { device: 'Firefox · Linux', current: false },
    ])
    expect((await visitor.callOk(listSessions)).list.map(({ current }) => current)).toEqual([false, true])
    expect((await (await guest()).call(listSessions)).answer.code).toBe(401)
    expect((await site.visitor().call(listSessions)).answer.code).toBe(401)
  })

  it('can be ended one by one, or all except the current one', async () => {
    const { visitor, phone, user, email } = await twice()
    const { list } = await visitor.callOk(listSessions)
    const id = list.find(({ current }) => !current)?.id ?? ''
    const stranger = await registerMember(site)
    expect(await stranger.visitor.callOk(endSessions, { body: { id } })).toEqual({ removed: 0 })
    expect(await visitor.callOk(endSessions, { body: { id } })).toEqual({ removed: 1 })
    expect((await phone.callOk(getUser)).role).toBe('visitor')
    await phone.callOk(signIn, { body: { email, password } })
    expect(await visitor.callOk(endSessions)).toEqual({ removed: 1 })
    expect((await phone.callOk(getUser)).role).toBe('visitor')
    expect((await visitor.callOk(getUser)).id).toBe(user.id)
    expect((await (await guest()).call(endSessions)).answer.code).toBe(401)
  })
})

describe('deleting', () => {
  it('requires the password, deletes all personal data, and gives a new guest', async () => {
    const { visitor, user, email } = await registerMember(site)
    const other = await guest()
    await other.callOk(signIn, { body: { email, password } })
    const wrong = await visitor.call(deleteUser, { body: { current_password: 'not the password' } })
    expect(wrong.answer).toMatchObject({ code: 500, info: { field: 'current_password' } })
    expect(await rowOf(user.id)).toMatchObject({ email, deleted_at: null })
    const fresh = await visitor.callOk(deleteUser, { body: { current_password: password } })
    expect(fresh).toMatchObject({ role: 'visitor', email: null })
    expect(await rowOf(user.id)).toMatchObject({
      email: null,
      password_hash: null,
      display_name: null,
      language: null,
      consent_at: null,
      deleted_at: expect.any(Date),
    })
    expect(erased).toContain(user.id)
    expect((await visitor.callOk(getUser)).id).toBe(fresh.id)
    expect((await other.callOk(getUser)).id).not.toBe(user.id)
    expect((await other.call(signIn, { body: { email, password } })).answer.code).toBe(500)
    expect((await eventsOf(user.id)).at(-1)).toBe('account_deleted')
    const again = { email, password, repeat_password: password }
    expect((await other.callOk(registerUser, { body: again })).id).not.toBe(user.id)
  })

  it('without a password requires a sign-in within the last 15 minutes', async () => {
    const { visitor, user } = await registerMember(site)
    await query('UPDATE users SET password_hash = NULL WHERE id = $1', [user.id])
    offset += 16 * 60_000
    expect((await visitor.call(deleteUser)).answer.code).toBe(401)
    offset -= 16 * 60_000
    expect(await visitor.callOk(deleteUser)).toMatchObject({ role: 'visitor' })
  })

  it('is possible for guests, whose old token becomes invalid', async () => {
    const visitor = await guest()
    const { id } = await visitor.callOk(changeUser, {
      body: { display_name: 'Ada' },
      headers: { 'x-time-zone': 'Asia/Tokyo' },
    })
    const old = visitor.cookie
    expect((await visitor.callOk(deleteUser)).id).not.toBe(id)
    expect(await rowOf(id)).toMatchObject({
      display_name: null,
      time_zone: null,
      deleted_at: expect.any(Date),
    })
    expect((await site.visitor({ cookie: old }).callOk(getUser)).id).not.toBe(id)
    expect((await site.visitor().call(deleteUser)).answer.code).toBe(401)
  })

  it('is rolled back if a feature cannot erase its data', async () => {
    const failing = await startTestSite({
      lifecycleHooks: { erase: [() => Promise.reject(new Error('the data could not be erased'))] },
    })
    onTestFinished(() => failing.close())
    const { visitor, user } = await registerMember(failing)
    const { status } = await visitor.call(deleteUser, { body: { current_password: password } })
    const after = await visitor.callOk(getUser)
    expect(status).toBe(500)
    expect(after).toEqual(user)
  })
})

describe('the export', () => {
  it('is a file with all personal data, and without secrets', async () => {
    const { visitor, user, email } = await registerMember(site)
    const { headers, answer } = await visitor.call(exportUser)
    expect(headers.get('content-disposition')).toBe('attachment; filename="my-data.json"')
    expect(answer.info).toMatchObject({
      user: { id: user.id, email },
      sessions: [{ device: expect.any(String) }],
      account_events: [{ event: 'account_created' }, { event: 'data_exported' }],
      of_a_feature: [user.id],
    })
    expect(JSON.stringify(answer)).not.toMatch(/argon2|password_hash|token_hash/)
  })

  it('is available to a guest with or without stored data, but not without a token', async () => {
    const visitor = await guest()
    const { id } = await visitor.callOk(getUser)
    expect(await visitor.callOk(exportUser)).toEqual({ user: { id } })
    await visitor.callOk(changeUser, { body: { display_name: 'Ada' } })
    expect(await visitor.callOk(exportUser)).toMatchObject({
      user: { id, display_name: 'Ada' },
      of_a_feature: [id],
    })
    expect((await site.visitor().call(exportUser)).answer.code).toBe(401)
  })

  it('includes consents that the user gave as a guest before signing in', async () => {
    const { email } = await registerMember(site)
    const visitor = await guest()
    await visitor.callOk(changeUser, { body: { consent: { marketing: true } } })
    await visitor.callOk(signIn, { body: { email, password } })
    expect(await visitor.callOk(exportUser)).toMatchObject({
      account_events: [
        { event: 'account_created' },
        { event: 'consent_changed', details: { marketing: true } },
        { event: 'signed_in' },
        { event: 'data_exported' },
      ],
    })
  })

  it('includes all data of a guest whose browser lost the response with the new cookie', async () => {
    const visitor = await guest()
    const missed = visitor.cookie
    const { id } = await visitor.callOk(changeUser, { body: { display_name: 'Ada' } })
    expect(await site.visitor({ cookie: missed }).callOk(exportUser)).toMatchObject({
      user: { id, display_name: 'Ada' },
      of_a_feature: [id],
    })
  })
})

describe('the audit log', () => {
  it('is append-only', async () => {
    const { visitor } = await registerMember(site)
    await visitor.callOk(signOut)
    for (const text of [
      "UPDATE audit_events SET event = 'x'",
      'DELETE FROM audit_events',
      'TRUNCATE audit_events',
    ])
      await expect(query(text)).rejects.toThrow('audit_events is append-only')
  })
})
