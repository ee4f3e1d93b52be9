import { Secret, TOTP } from 'otpauth'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { changeUser, deleteUser, getUser, registerUser, signIn } from '#contract/members.ts'
import { password, registerMember } from '#server/testing/builders/register-member.ts'
import { waitForLock } from '#server/testing/database/wait-for-lock.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database/test-database.ts'
import { startTestSite, type TestSite } from '#server/testing/site/test-site.ts'
import type { Visitor } from '#server/testing/site/visitor.ts'
import type { LifecycleHooks } from './lifecycle-hooks.ts'
import { startLoginAttempt } from './credentials/login-attempt-queries.ts'
import { startSecondFactorSetup, confirmSecondFactor } from './credentials/second-factor/second-factor.ts'

/** Two sites on one database with the same settings, like two processes. */
let database: TestDatabase
let sites: TestSite[]
const merged: string[] = []

const lifecycleHooks: Partial<LifecycleHooks> = {
  merge: [async (_tx, guestId, memberId) => void merged.push(`${guestId} ${memberId}`)],
}

beforeAll(async () => {
  database = await createTestDatabase()
  const shared = { ...database, close: async () => {} }
  const settings = {
    APP_SECRET: 'a secret that both processes share',
    RATE_LIMIT_SIGN_IN_PER_ACCOUNT: '3/h',
    RATE_LIMIT_REGISTER_PER_IP: '100000/h',
  }
  sites = await Promise.all([0, 1].map(() => startTestSite({ database: shared, lifecycleHooks }, settings)))
})
beforeEach(() => void merged.splice(0))
afterAll(async () => {
  for (const site of sites) await site.close()
  await database.close()
})

const siteOf = (index: number): TestSite => sites[index % sites.length] ?? fail()
function fail(): never {
  throw new Error('there is no such site')
}
const rowOf = async (id: string) =>
  (await database.pool.query('SELECT * FROM users WHERE id = $1', [id])).rows[0]

/** Opens tabs of one browser, which alternate between the sites. */
async function tabs(count: number, isStored = true): Promise<{ id: string; tabs: Visitor[] }> {
  const first = siteOf(0).visitor()
  const { id } = await first.callOk(getUser)
  if (isStored)
    await first.callOk(changeUser, { body: { display_name: 'Guest', consent: { marketing: true } } })
  const all = Array.from({ length: count }, (_, index) => {
    const tab = siteOf(index).visitor()
    tab.cookie = first.cookie
    return tab
  })
  return { id, tabs: all }
}

test('two tabs that sign in at two processes concurrently merge the guest’s records once', async () => {
  const { user, email } = await registerMember(siteOf(0))
  const guest = await tabs(2)
  const users = await Promise.all(guest.tabs.map((tab) => tab.callOk(signIn, { body: { email, password } })))
  expect(users.map(({ id }) => id)).toEqual([user.id, user.id])
  expect(merged).toEqual([`${guest.id} ${user.id}`])
  expect(await rowOf(guest.id)).toMatchObject({ merged_into: user.id, display_name: null })
  expect(users[1]).toMatchObject({ display_name: 'Guest', consent: { marketing: true } })
  for (const tab of guest.tabs) expect((await tab.callOk(getUser)).id).toBe(user.id)
})

test('signing in does not overwrite the account’s settings with the guest’s', async () => {
  const { visitor, email } = await registerMember(siteOf(0))
  await visitor.callOk(changeUser, { body: { display_name: 'Ada', consent: { marketing: false } } })
  const guest = await tabs(1)
  for (const tab of guest.tabs) {
    const user = await tab.callOk(signIn, { body: { email, password } })
    expect(user).toMatchObject({ display_name: 'Ada', consent: { marketing: false } })
  }
})

test('a late call with the cookie of a merged guest is refused and stores nothing', async () => {
  for (const isStored of [true, false]) {
    const { email } = await registerMember(siteOf(0))
    const { id, tabs: pair } = await tabs(2, isStored)
    const [first, late] = pair
    await first?.callOk(signIn, { body: { email, password } })
    const answer = (await late?.call(changeUser, { body: { display_name: 'Late' } }))?.answer
    expect(answer?.code).toBe(401)
    expect((await rowOf(id)).display_name).toBeNull()
    expect((await late?.callOk(getUser))?.id).not.toBe(id)
  }
})

test('concurrent calls of a guest who signs in store their data in the account or receive an error', async () => {
  const { user, email } = await registerMember(siteOf(0))
  const { id, tabs: all } = await tabs(7)
  const [signer, ...savers] = all
  const saves = savers.map((tab, index) => tab.call(changeUser, { body: { display_name: `Guest ${index}` } }))
  const [, ...answers] = await Promise.all([signer?.callOk(signIn, { body: { email, password } }), ...saves])
  const names = answers.flatMap((each) => (each.answer.code === 200 ? [each.answer.info?.display_name] : []))
  for (const { answer } of answers) expect([200, 401]).toContain(answer.code)
  expect(['Guest', ...names]).toContain((await rowOf(user.id)).display_name)
  expect((await rowOf(id)).display_name).toBeNull()
})

test('registering twice concurrently creates one account', async () => {
  const guest = await tabs(4)
  const body = { email: 'twice@example.com', password, repeat_password: password }
  const answers = await Promise.all(guest.tabs.map((tab) => tab.call(registerUser, { body })))
  const codes = answers.map(({ answer }) => answer.code)
  expect(codes.filter((code) => code === 200)).toHaveLength(1)
  // After the first success, the other calls find the guest registered (409) or the address taken (500).
  expect(codes.filter((code) => code === 409 || code === 500)).toHaveLength(3)
  const strangers = [siteOf(0).visitor(), siteOf(1).visitor()]
  const both = { ...body, email: 'both@example.com' }
  const others = await Promise.all(strangers.map((each) => each.call(registerUser, { body: both })))
  expect(others.map(({ answer }) => answer.code).toSorted()).toEqual([200, 500])
  const { rows } = await database.pool.query(
    'SELECT email FROM users WHERE email IN ($1, $2) ORDER BY email',
    [body.email, both.email],
  )
  expect(rows).toHaveLength(2)
})

test('two guests who each sign in to both of two accounts concurrently do not deadlock', async () => {
  const accounts = [await registerMember(siteOf(0)), await registerMember(siteOf(1))]
  const guests = [await tabs(2), await tabs(2)]
  const calls = guests.flatMap((guest, index) =>
    guest.tabs.map((tab, turn) => {
      const email = accounts[(index + turn) % 2]?.email ?? ''
      return tab.call(signIn, { body: { email, password } })
    }),
  )
  expect((await Promise.all(calls)).map(({ answer }) => answer.code)).toEqual([200, 200, 200, 200])
  expect(merged).toHaveLength(2)
})

test('two concurrent deletions erase the account once', async () => {
  const { visitor } = await registerMember(siteOf(0))
  const again = siteOf(1).visitor()
  again.cookie = visitor.cookie
  const body = { current_password: password }
  const answers = await Promise.all([visitor, again].map((tab) => tab.call(deleteUser, { body })))
  const codes = answers.map(({ answer }) => answer.code).toSorted()
  expect(codes).toEqual([200, 401])
})

test('sign-in attempts are counted for both processes together', async () => {
  const { email } = await registerMember(siteOf(0))
  const statuses = []
  for (let turn = 0; turn < 4; turn++) {
    const { status } = await siteOf(turn).visitor().call(signIn, { body: { email, password } })
    statuses.push(status)
  }
  expect(statuses).toEqual([200, 200, 200, 429])
})

test.each([
  [
    'signing in',
    (visitor: Visitor, email: string) => visitor.call(signIn, { body: { email, password } }),
    'password',
  ],
  [
    'setting another password',
    (visitor: Visitor) =>
      visitor.call(changeUser, { body: { current_password: password, new_password: 'an intruder’s own' } }),
    'current_password',
  ],
])('a password is refused for %s if it is changed while a call verifies it', async (_words, enter, field) => {
  const { user, visitor: member, email } = await registerMember(siteOf(0))
  const guest = siteOf(1).visitor()
  await guest.callOk(getUser)
  const visitor = field === 'password' ? guest : member
  const before = await visitor.callOk(getUser)
  const other = await database.pool.connect()
  await other.query('BEGIN')
  await other.query('UPDATE users SET password_hash = $1 WHERE id = $2', ['another one', user.id])
  const entering = enter(visitor, email)
  await waitForLock(database.pool)
  await other.query('COMMIT')
  other.release()
  const { answer, headers } = await entering
  expect(answer).toMatchObject({ code: 500, info: { field } })
  expect(headers.getSetCookie()).toEqual([])
  expect((await visitor.callOk(getUser)).id).toBe(before.id)
  expect((await rowOf(user.id)).password_hash).toBe('another one')
})

test('signing in and removing the second factor concurrently do not deadlock', async () => {
  const { user, visitor, email } = await registerMember(siteOf(0))
  const { context } = siteOf(0)
  const now = () => context.clock.now().getTime()
  const totp = await context.db.transaction().execute(async (tx) => {
    const { secret } = await startSecondFactorSetup(tx, context, user)
    const totp = new TOTP({ secret: Secret.fromBase32(secret) })
    await confirmSecondFactor(tx, context, user, totp.generate({ timestamp: now() }))
    // The code of the next half minute is also valid if that half minute begins during the test.
    return totp.generate({ timestamp: now() + 30_000 })
  })
  const other = await database.pool.connect()
  await other.query('BEGIN')
  await other.query('SELECT FROM users WHERE id = $1 FOR UPDATE', [user.id])
  const entering = siteOf(1).visitor().call(signIn, { body: { email, password, totp } })
  await waitForLock(database.pool)
  await other.query('DELETE FROM second_factors WHERE user_id = $1', [user.id])
  await other.query('COMMIT')
  other.release()
  expect((await entering).answer.code).toBe(200)
  expect((await visitor.callOk(getUser)).second_factor).toBe(false)
})

test('a slow clock does not delay an attempt below the limit', async () => {
  const at = (ms: number) => new Date(1_700_000_000_000 + ms)
  const { db } = siteOf(0).context
  const tries = [5000, 0, 4999, 1, 0].map((ms) => () => startLoginAttempt(db, 'two clocks', at(ms)))
  for (const tryOnce of tries) expect(await tryOnce()).toMatchObject({ accountKey: 'two clocks' })
  expect(await startLoginAttempt(db, 'two clocks', at(0))).toEqual(at(1000))
})
