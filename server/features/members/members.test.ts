import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { saveHistory } from '#contract/library.ts'
import { changeUser, getUser, registerUser, signIn } from '#contract/members.ts'
import { dayMs } from '#server/platform/clock.ts'
import { password } from '#server/testing/builders/register-member.ts'
import { startTestSite, type TestSite } from '#server/testing/site/test-site.ts'
import { signGuest } from './sessions/guest-token.ts'

let site: TestSite
beforeAll(async () => {
  site = await startTestSite()
})
afterAll(() => site.close())

const rows = async () =>
  Number((await site.context.database.pool.query('SELECT count(*) AS n FROM users')).rows[0].n)

async function zoneOf(id: string) {
  const { db } = site.context
  return (await db.selectFrom('users').select('time_zone').where('id', '=', id).executeTakeFirst())?.time_zone
}

describe('a member', () => {
  it('stores the time zone of the browser that registers or signs in', async () => {
    const email = 'zone@example.com'
    const visitor = site.visitor({ 'x-time-zone': 'Asia/Calcutta' })
    const { id } = await visitor.callOk(registerUser, {
      body: { email, password, repeat_password: password },
    })
    expect(await zoneOf(id)).toBe('Asia/Calcutta')
    await site.visitor({ 'x-time-zone': 'Asia/Tokyo' }).callOk(signIn, { body: { email, password } })
    expect(await zoneOf(id)).toBe('Asia/Tokyo')
  })

  it("gets the guest's time zone if the sign-in sends none", async () => {
    const email = 'zoneless@example.com'
    const { id } = await site.visitor().callOk(registerUser, {
      body: { email, password, repeat_password: password },
    })
    const guest = site.visitor()
    await guest.callOk(getUser)
    await guest.callOk(changeUser, {
      body: { display_name: 'Ada' },
      headers: { 'x-time-zone': 'Asia/Tokyo' },
    })
    await guest.callOk(signIn, { body: { email, password } })
    expect(await zoneOf(id)).toBe('Asia/Tokyo')
  })
})

describe('a guest', () => {
  it('gets an id from GET /api/user, keeps it from call to call, and needs no row', async () => {
    const before = await rows()
    const visitor = site.visitor()
    const first = await visitor.callOk(getUser)
    const again = await visitor.callOk(getUser)
    expect(first).toMatchObject({ role: 'visitor', email: null, membership: { state: 'free' } })
    expect(again.id).toBe(first.id)
    expect(await rows()).toBe(before)
  })

  it('is identified by a token in a header if cookies are disabled, but not by the same token in a cookie', async () => {
    const { headers, answer } = await site.visitor().call(getUser)
    const token = headers.get('x-user-token') ?? ''
    const byHeader = await site.visitor({ 'x-user-token': token }).callOk(getUser)
    const asCookie = await site.visitor({ cookie: `guest=${token}` }).callOk(getUser)
    expect(byHeader.id).toBe(answer.info?.id)
    expect(asCookie.id).not.toBe(answer.info?.id)
  })

  it('is a new guest if the token was altered', async () => {
    const visitor = site.visitor()
    const { id } = await visitor.callOk(getUser)
    visitor.cookie = visitor.cookie.replace('.0.', '.1.')
    expect((await visitor.callOk(getUser)).id).not.toBe(id)
  })

  it('is a new guest after 400 days', async () => {
    let offset = 0
    const moved = await startTestSite({ clock: { now: () => new Date(Date.now() + offset) } })
    onTestFinished(() => moved.close())
    const visitor = moved.visitor()
    const { id } = await visitor.callOk(getUser)
    const [cookie, header] = [visitor.cookie, (await visitor.call(getUser)).headers.get('x-user-token') ?? '']
    const idsOf = (headers: Record<string, string>) => moved.visitor(headers).callOk(getUser)
    const known = async () => [await idsOf({ cookie }), await idsOf({ 'x-user-token': header })]
    offset = 400 * dayMs - 3_600_000
    expect((await known()).map((user) => user.id === id)).toEqual([true, true])
    offset = 400 * dayMs + 3_600_000
    expect((await known()).map((user) => user.id === id)).toEqual([false, false])
  })

  it('is identified by a token of maximum length, while a longer one is invalid', async () => {
    const visitor = site.visitor()
    const longest = encodeURIComponent('語'.repeat(512))
    const { id } = await visitor.callOk(getUser, { headers: { 'x-referrer-token': longest } })
    expect(visitor.cookie.length).toBeGreaterThan(2048)
    expect((await visitor.callOk(getUser)).id).toBe(id)
    const guest = { userId: id, isStored: false, firstReferrerToken: 'x'.repeat(2000) }
    const token = signGuest(site.context.secret, 'cookie', guest, new Date())
    expect((await site.visitor({ cookie: `guest=${token}` }).callOk(getUser)).id).not.toBe(id)
  })

  it('gets a row with the same id when a name is set', async () => {
    const visitor = site.visitor()
    const { id } = await visitor.callOk(getUser)
    const named = await visitor.callOk(changeUser, { body: { display_name: 'Ada', language: 'dy' } })
    expect(named).toMatchObject({ id, display_name: 'Ada', language: 'dy' })
    expect(await visitor.callOk(getUser)).toMatchObject({ id, display_name: 'Ada' })
  })

  it('has the time zone of the browser used last, and an unknown time zone is ignored', async () => {
    const visitor = site.visitor()
    const { id } = await visitor.callOk(getUser)
    const rename = (zone: string) =>
      visitor.callOk(changeUser, { body: { display_name: 'Ada' }, headers: { 'x-time-zone': zone } })
    await rename('Europe/Berlin')
    expect(await zoneOf(id)).toBe('Europe/Berlin')
    await rename('Mars/Olympus')
    await visitor.callOk(changeUser, { body: { display_name: 'Ada' } })
    expect(await zoneOf(id)).toBe('Europe/Berlin')
    await rename('America/Sao_Paulo')
    expect(await zoneOf(id)).toBe('America/Sao_Paulo')
  })

  it('gets no further cookie before a row exists', async () => {
    const visitor = site.visitor()
    expect((await visitor.call(getUser)).headers.get('set-cookie')).toContain('.0.')
    expect((await visitor.call(getUser)).headers.get('set-cookie')).toBeNull()
    const { headers } = await visitor.call(changeUser, { body: { language: 'en' } })
    expect(headers.get('set-cookie')).toContain('.1.')
  })

  it('gets no row by calls that change or remove nothing', async () => {
    const visitor = site.visitor()
    const { id } = await visitor.callOk(getUser)
    const before = await rows()
    expect((await visitor.callOk(changeUser, { body: {} })).id).toBe(id)
    expect(await visitor.callOk(saveHistory, { body: { remove: [] } })).toEqual({ removed: 0 })
    expect(await rows()).toBe(before)
    expect(visitor.cookie).toContain('.0.')
  })

  it('gets a readable message about the invalid field', async () => {
    const visitor = site.visitor()
    await visitor.callOk(getUser)
    const { status, answer } = await visitor.call(changeUser, { body: { display_name: ' ' } })
    expect(status).toBe(200)
    expect(answer).toMatchObject({
      code: 500,
      info: { field: 'display_name' },
      message: expect.stringContaining('name'),
    })
  })
})

describe('over https', () => {
  it('cookies are secure and bound to this host, and other cookies are ignored', async () => {
    const secure = await startTestSite({}, { PUBLIC_URL: 'https://drama.example' })
    onTestFinished(() => secure.close())
    const visitor = secure.visitor()
    const guest = await visitor.call(getUser, { headers: { 'x-referrer-token': 'spring' } })
    const body = { email: 'https@example.com', password, repeat_password: password }
    const member = await visitor.call(registerUser, { body })
    const flags = 'Path=/; Max-Age=34560000; HttpOnly; SameSite=Lax; Secure'
    expect(guest.headers.getSetCookie()).toEqual([expect.stringMatching(`^__Host-guest=[^;]+; ${flags}$`)])
    expect(member.headers.getSetCookie()).toContainEqual(
      expect.stringMatching(`^__Host-session=[^;]+; ${flags}$`),
    )
    expect((await visitor.callOk(getUser)).role).toBe('member')
    visitor.cookie = visitor.cookie.replaceAll('__Host-', '')
    expect((await visitor.callOk(getUser)).role).toBe('visitor')
  })
})

describe('an unsafe call', () => {
  it('with a guest cookie is refused from another site', async () => {
    const visitor = site.visitor()
    await visitor.callOk(getUser)
    const { status } = await visitor.call(changeUser, {
      body: {},
      headers: { 'sec-fetch-site': 'cross-site' },
    })
    expect(status).toBe(403)
  })

  it.each([
    ['our pages', 200, { 'sec-fetch-site': 'same-origin' }],
    ['another subdomain of our domain', 403, { 'sec-fetch-site': 'same-site' }],
    ['an unknown origin', 403, {}],
    ['the site in an older browser', 200, { origin: 'http://localhost:3000' }],
    ['another site in an older browser', 403, { origin: 'http://localhost:3000.evil.example' }],
    ['a page with an opaque origin', 403, { origin: 'null' }],
    [
      'another site that sends our origin',
      403,
      { 'sec-fetch-site': 'cross-site', origin: 'http://localhost:3000' },
    ],
  ])('that relies on the cookie and comes from %s gets HTTP %i', async (_from, expected, headers) => {
    const visitor = site.visitor()
    await visitor.callOk(getUser)
    const { status } = await fetch(`${site.url}/api/user`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', cookie: visitor.cookie, ...headers },
      body: '{}',
    })
    expect(status).toBe(expected)
  })

  it('without a token is refused with the code 401', async () => {
    const { status, answer } = await site.visitor().call(changeUser, { body: { display_name: 'Ada' } })
    expect([status, answer.code]).toEqual([200, 401])
  })
})
