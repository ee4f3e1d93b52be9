import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { cancelSubscription, getOrders } from '#contract/billing.ts'
import {
  changeUser,
  deleteUser,
  exportUser,
  getUser,
  listSessions,
  signIn,
  signOut,
  registerUser,
} from '#contract/members.ts'
import { password, registerMember } from '#server/testing/builders/register-member.ts'
import { startTestSite, type TestSite } from '#server/testing/site/test-site.ts'
import type { Visitor } from '#server/testing/site/visitor.ts'

let site: TestSite
/**
 * The site's time, which only `advanceClock` changes. With a running clock, a delay of one second could have passed
 * before the next call on a slow machine.
 */
let now = Date.now()
const advanceClock = (seconds: number) => void (now += seconds * 1000)

beforeAll(async () => {
  site = await startTestSite({ clock: { now: () => new Date(now) } })
})
afterAll(() => site.close())

async function guest(headers?: Record<string, string>): Promise<Visitor> {
  const visitor = site.visitor(headers)
  await visitor.callOk(getUser)
  return visitor
}
const signInAs = (visitor: Visitor, email: string, attempted = password) =>
  visitor.call(signIn, { body: { email, password: attempted } })
const auditOf = async (event: string) =>
  (await site.context.database.pool.query('SELECT * FROM audit_events WHERE event = $1 ORDER BY id', [event]))
    .rows

describe('signing in', () => {
  it('returns the account, whatever the case of the address, and a new session', async () => {
    const { user, email } = await registerMember(site)
    const visitor = await guest()
    const { answer } = await signInAs(visitor, email.toUpperCase())
    expect(answer).toMatchObject({ code: 200, info: { id: user.id, role: 'member', email } })
    expect((await visitor.callOk(getUser)).id).toBe(user.id)
    expect((await visitor.callOk(listSessions)).list).toHaveLength(2)
  })

  it('works without a previous token', async () => {
    const { user, email } = await registerMember(site)
    expect((await signInAs(site.visitor(), email)).answer.info?.id).toBe(user.id)
  })

  it('refuses an invalid address', async () => {
    const { answer } = await signInAs(await guest(), 'ada at example')
    expect(answer).toMatchObject({ code: 500, info: { field: 'email' } })
  })

  it('starts a new session if the same member is signed in, and is refused if another member is signed in', async () => {
    const [ada, bob] = [await registerMember(site), await registerMember(site)]
    expect((await signInAs(ada.visitor, ada.email)).answer.code).toBe(200)
    expect((await ada.visitor.callOk(listSessions)).list).toHaveLength(1)
    expect((await signInAs(ada.visitor, bob.email)).answer.code).toBe(409)
    expect((await ada.visitor.callOk(getUser)).id).toBe(ada.user.id)
  })

  it('is recorded in the audit log, with the user and without the address', async () => {
    const { user, email } = await registerMember(site)
    const visitor = await guest()
    await signInAs(visitor, email, 'not the password')
    await signInAs(visitor, 'unknown@example.com', 'not the password')
    await signInAs(visitor, email)
    const [failed, signedIn] = [await auditOf('sign_in_failed'), await auditOf('signed_in')]
    expect(failed.slice(-2).map((row) => row.user_id)).toEqual([user.id, null])
    expect(signedIn.at(-1)).toMatchObject({ user_id: user.id, network_hash: failed.at(-1)?.network_hash })
    expect(JSON.stringify([failed, signedIn])).not.toMatch(/@|127\.0\.0\.1/)
  })
})

describe('guessing a password', () => {
  it.each(['known', 'unknown'])(
    'is delayed after five failures, longer each time, for an address that is %s',
    async (kind) => {
      const email = kind === 'known' ? (await registerMember(site)).email : 'who@example.com'
      const visitor = await guest()
      for (let tries = 0; tries < 5; tries++)
        expect((await signInAs(visitor, email, 'wrong guess')).answer.code).toBe(500)
      for (const rest of [1, 2, 4, 8]) {
        const { status, headers } = await signInAs(visitor, email, 'wrong guess')
        expect([status, headers.get('retry-after')]).toEqual([429, String(rest)])
        advanceClock(rest)
        expect((await signInAs(visitor, email, 'wrong guess')).answer.code).toBe(500)
      }
    },
  )

  it('is delayed at most a quarter of an hour, and not delayed after the correct password', async () => {
    const { email } = await registerMember(site)
    const visitor = await guest()
    for (let tries = 0; tries < 5; tries++) await signInAs(visitor, email, 'wrong guess')
    for (let tries = 0; tries < 12; tries++) {
      advanceClock(1000)
      await signInAs(visitor, email, 'wrong guess')
    }
    expect((await signInAs(visitor, email)).headers.get('retry-after')).toBe('900')
    advanceClock(900)
    expect((await signInAs(visitor, email)).answer.code).toBe(200)
    expect((await signInAs(await guest(), email, 'wrong guess')).answer.code).toBe(500)
  })

  it('does not lock a member out of a browser that the member has used before', async () => {
    const { visitor, email } = await registerMember(site)
    await visitor.callOk(signOut)
    const stranger = await guest()
    for (let tries = 0; tries < 6; tries++) await signInAs(stranger, email, 'wrong guess')
    expect((await signInAs(stranger, email)).status).toBe(429)
    const other = await registerMember(site)
    await other.visitor.callOk(signOut)
    expect((await signInAs(other.visitor, email)).status).toBe(429)
    const forged = site.visitor({ cookie: `${stranger.cookie}; device=made.up` })
    expect((await signInAs(forged, email)).status).toBe(429)
    expect((await signInAs(visitor, email)).answer.code).toBe(200)
  })

  it('is limited in a known browser too', async () => {
    const { visitor, email } = await registerMember(site)
    await visitor.callOk(signOut)
    for (let tries = 0; tries < 5; tries++) await signInAs(visitor, email, 'wrong guess')
    expect((await signInAs(visitor, email)).status).toBe(429)
  })

  it('is not counted if the password is correct but another member is signed in', async () => {
    const [ada, bob] = [await registerMember(site), await registerMember(site)]
    for (let tries = 0; tries < 4; tries++) await signInAs(ada.visitor, bob.email, 'wrong guess')
    for (let tries = 0; tries < 3; tries++)
      expect((await signInAs(ada.visitor, bob.email)).answer.code).toBe(409)
    expect((await signInAs(await guest(), bob.email)).answer.code).toBe(200)
  })

  it('allows at most five attempts without delay, even with many concurrent calls', async () => {
    const { email } = await registerMember(site)
    const visitor = await guest()
    const tries = Array.from({ length: 12 }, () => signInAs(visitor, email, 'wrong guess'))
    const codes = (await Promise.all(tries)).map(({ answer }) => answer.code)
    expect(codes.filter((code) => code === 500)).toHaveLength(5)
    expect(codes.filter((code) => code === 429)).toHaveLength(7)
  })

  it('allows no additional attempts by other spellings that are equal in the database', async () => {
    const email = 'victim@example.com'
    const body = { email, password, repeat_password: password }
    await (await guest()).callOk(registerUser, { body })
    const visitor = await guest()
    for (const spelling of ['victim', 'VICTIM', 'victİm', 'vİctİm', 'vİctim'])
      expect((await signInAs(visitor, `${spelling}@example.com`, 'wrong guess')).answer.code).toBe(500)
    for (const spelling of ['victim', 'victİm'])
      expect((await signInAs(visitor, `${spelling}@example.com`)).status).toBe(429)
  })

  it('is limited per network, whatever the number of its addresses', async () => {
    const strict = await startTestSite({}, { RATE_LIMIT_SIGN_IN_PER_IP: '2/h', TRUST_PROXY: '1' })
    onTestFinished(() => strict.close())
    const { email } = await registerMember(strict)
    const statuses = []
    for (const from of ['2001:db8:1:2::1', '2001:db8:1:2::2', '2001:db8:1:2:3::', '2001:db8:1:3::1']) {
      const visitor = strict.visitor({ 'x-forwarded-for': from })
      statuses.push((await visitor.call(signIn, { body: { email, password } })).status)
    }
    expect(statuses).toEqual([200, 200, 429, 200])
  })

  it.each([
    ['0', 'has the address of the connection, whatever addresses the header contains', '203.0.113.9'],
    [
      '1',
      'has the address that the proxy saw, whatever forged addresses precede it',
      '198.51.100.7, 203.0.113.9',
    ],
    ['2', 'has the address that the outer proxy saw', '198.51.100.7, 203.0.113.9, 192.0.2.1'],
  ])('behind %s proxies, a network %s', async (proxies, _what, chain) => {
    const strict = await startTestSite({}, { RATE_LIMIT_SIGN_IN_PER_IP: '2/h', TRUST_PROXY: proxies })
    onTestFinished(() => strict.close())
    const { email } = await registerMember(strict)
    const enterFrom = async (forwarded: string) => {
      const visitor = strict.visitor({ 'x-forwarded-for': forwarded })
      return (await visitor.call(signIn, { body: { email, password } })).status
    }
    const statuses = []
    for (const forged of ['198.51.100.1', '198.51.100.2', '198.51.100.3'])
      statuses.push(await enterFrom(chain.replace('198.51.100.7', forged)))
    statuses.push(await enterFrom(chain.replace('203.0.113.9', '203.0.113.10')))
    expect(statuses).toEqual([200, 200, 429, proxies === '0' ? 429 : 200])
  })
})

describe('a session', () => {
  it('is identified by its header token if cookies are disabled, but the cookie’s token is refused in the header, and the header token in the cookie', async () => {
    const { visitor, user } = await registerMember(site)
    const { headers } = await visitor.call(getUser)
    const token = headers.get('x-user-token') ?? ''
    const cookie = /session=([^;]+)/.exec(visitor.cookie)?.[1] ?? ''
    expect(cookie).toHaveLength(43)
    expect((await site.visitor({ 'x-user-token': token }).callOk(getUser)).id).toBe(user.id)
    expect((await site.visitor({ 'x-user-token': cookie }).callOk(getUser)).id).not.toBe(user.id)
    expect((await site.visitor({ cookie: `session=${token}` }).callOk(getUser)).id).not.toBe(user.id)
    const forged = `${token.slice(0, -2)}${token.endsWith('AA') ? 'BB' : 'AA'}`
    expect((await site.visitor({ 'x-user-token': forged }).callOk(getUser)).id).not.toBe(user.id)
  })

  it('does not store its token in the database', async () => {
    const { visitor } = await registerMember(site)
    const cookie = /session=([^;]+)/.exec(visitor.cookie)?.[1] ?? ''
    const { rows } = await site.context.database.pool.query(
      'SELECT sessions.*, encode(token_hash, $1) AS text FROM sessions',
      ['escape'],
    )
    expect(JSON.stringify(rows)).not.toContain(cookie)
  })

  it('that starts when a guest registers invalidates the guest’s tokens', async () => {
    const visitor = await guest()
    const before = visitor.cookie
    const header = (await visitor.call(getUser)).headers.get('x-user-token') ?? ''
    await visitor.callOk(changeUser, { body: { display_name: 'Ada' } })
    const cookie = visitor.cookie
    const { user } = await registerMember(site, visitor)
    const stolen: Record<string, string>[] = [{ cookie }, { 'x-user-token': header }]
    for (const headers of stolen) {
      expect((await site.visitor(headers).callOk(getUser)).id).not.toBe(user.id)
      expect(
        (await site.visitor(headers).call(changeUser, { body: { display_name: 'Eve' } })).answer.code,
      ).toBe(401)
    }
    const earlierGuest = site.visitor()
    earlierGuest.cookie = before
    expect((await earlierGuest.call(changeUser, { body: { display_name: 'Eve' } })).answer.code).toBe(401)
    const { id, display_name } = await earlierGuest.callOk(getUser)
    expect(id).not.toBe(user.id)
    expect(display_name).toBeNull()
  })

  it('is required for a member’s purchases, and an earlier guest cookie is refused', async () => {
    const visitor = await guest()
    const before = visitor.cookie
    await registerMember(site, visitor)
    const old = () => site.visitor({ cookie: before })
    expect((await visitor.call(getOrders)).answer.code).toBe(200)
    expect((await old().call(getOrders)).answer.code).toBe(401)
    expect((await old().call(cancelSubscription)).answer.code).toBe(401)
    expect((await old().call(deleteUser)).answer.code).toBe(401)
    expect((await old().call(exportUser)).answer.code).toBe(401)
  })

  it('ends once its member has a hundred newer sessions', async () => {
    const { visitor, user, email } = await registerMember(site)
    await site.context.database.pool.query(
      `INSERT INTO sessions (id, user_id, token_hash, user_agent, created_at, last_seen_at)
       SELECT 'ses_' || n || '_' || $1, $1, sha256((n || $1)::bytea), '', $2::timestamptz + n * interval '1 ms', $2
       FROM generate_series(1, 99) n`,
      [user.id, new Date(now)],
    )
    expect((await visitor.callOk(getUser)).id).toBe(user.id)
    advanceClock(1)
    const another = await guest()
    expect((await signInAs(another, email)).answer.code).toBe(200)
    expect((await another.callOk(getUser)).id).toBe(user.id)
    expect((await visitor.callOk(getUser)).id).not.toBe(user.id)
    expect(
      await site.context.db.selectFrom('sessions').select('id').where('user_id', '=', user.id).execute(),
    ).toHaveLength(100)
  })

  it('expires after 90 days without a call, and after 400 days in any case', async () => {
    const { visitor, user } = await registerMember(site)
    const day = 86_400
    for (const days of [89, 89, 89, 89, 43]) {
      advanceClock(days * day)
      expect((await visitor.callOk(getUser)).id).toBe(user.id)
    }
    advanceClock(2 * day)
    expect((await visitor.callOk(getUser)).id).not.toBe(user.id)
    const idle = await registerMember(site)
    advanceClock(91 * day)
    expect((await idle.visitor.callOk(getUser)).id).not.toBe(idle.user.id)
  })

  it('records the hour of its last use', async () => {
    const { visitor } = await registerMember(site)
    const seen = async () => (await visitor.callOk(listSessions)).list[0]?.last_seen_at
    const first = await seen()
    advanceClock(3000)
    expect(await seen()).toBe(first)
    advanceClock(1000)
    await visitor.callOk(getUser)
    expect(Date.parse((await seen()) ?? '')).toBeGreaterThan(Date.parse(first ?? '') + 3_900_000)
  })
})

describe('signing out', () => {
  it('ends the session permanently and gives a new guest', async () => {
    const { visitor, user } = await registerMember(site)
    const cookie = visitor.cookie
    const { headers } = await visitor.call(getUser)
    const out = await visitor.call(signOut)
    expect(out.answer.info).toMatchObject({ role: 'visitor', email: null })
    expect(out.headers.get('x-user-token')).toMatch(/^g\./)
    expect((await visitor.callOk(getUser)).id).toBe(out.answer.info?.id)
    const spent: Record<string, string>[] = [
      { cookie },
      { 'x-user-token': headers.get('x-user-token') ?? '' },
    ]
    for (const old of spent) expect((await site.visitor(old).callOk(getUser)).id).not.toBe(user.id)
  })

  it('gives a new guest even without a session', async () => {
    expect(await site.visitor().callOk(signOut)).toMatchObject({ role: 'visitor' })
  })
})
