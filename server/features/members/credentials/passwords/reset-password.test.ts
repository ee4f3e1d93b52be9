import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  changeSecondFactor,
  changeUser,
  requestPasswordReset,
  getUser,
  resetPassword,
  signIn,
  signOut,
  verifyEmail,
} from '#contract/members.ts'
import { createMember, linkSecretOf, type Member } from '#server/testing/builders/member.ts'
import { startTestSite, type TestSite } from '#server/testing/site/test-site.ts'

let site: TestSite
let member: Member
let offset = 0
/** The current time if the clock does not advance; undefined otherwise. */
let stoppedAt: number | undefined

beforeAll(async () => {
  site = await startTestSite({ clock: { now: () => new Date((stoppedAt ?? Date.now()) + offset) } })
})
afterAll(() => site.close())
beforeEach(async () => {
  offset = 0
  stoppedAt = undefined
  member = await createMember(site)
})

const fresh = 'a quite new passphrase'
const ask = (email: string) => site.visitor().call(requestPasswordReset, { body: { email } })
const latest = async (email = member.email) => (await site.mails(email)).at(-1)
/** Requests a link and reads its secret from the mail. */
const fetchSecret = async (email = member.email) => {
  await ask(email)
  return linkSecretOf(await latest(email))
}
const reset = (secret: string, new_password = fresh, repeat_password = new_password) =>
  site.visitor().call(resetPassword, { body: { secret, new_password, repeat_password } })
const logIn = (password: string) => site.visitor().call(signIn, { body: { email: member.email, password } })

describe('a password reset request', () => {
  it('mails a link with the configured URL of the site, in the user’s language', async () => {
    await member.visitor.callOk(changeUser, { body: { language: 'dy' } })
    const { answer } = await site
      .visitor({ host: 'evil.example', 'x-forwarded-host': 'evil.example' })
      .call(requestPasswordReset, { body: { email: member.email.toUpperCase() } })
    expect(answer).toEqual({ code: 200, info: { sent: true } })
    const mail = await latest()
    expect(mail?.subject).toBe('Setzen Sie Ihr Passwort zurück')
    expect(mail?.link).toMatch(/^http:\/\/localhost:3000\/retrievePassword#reset=[\w-]{43}$/)
    expect(mail?.html).toContain('<html lang="de">')
  })

  it('gets the same answer for an unknown address, and sends no mail', async () => {
    const known = await ask(member.email)
    const unknown = await ask('nobody@example.com')
    expect([unknown.status, unknown.answer]).toEqual([known.status, known.answer])
    expect(await site.mails('nobody@example.com')).toEqual([])
  })

  it('is accepted three times an hour for each address, whether or not it has an account', async () => {
    for (const email of [member.email, 'somebody.in@example.com']) {
      for (let time = 0; time < 3; time++) expect((await ask(email)).status).toBe(200)
      for (const spelling of [email.toUpperCase(), email.replace('i', 'İ')]) {
        const { status, headers } = await ask(spelling)
        expect(status).toBe(429)
        expect(Number(headers.get('retry-after'))).toBeGreaterThan(3500)
      }
    }
    offset = 3_601_000
    expect((await ask(member.email)).status).toBe(200)
  })

  it('is refused for an invalid address', async () => {
    const { answer } = await ask('ada at example.com')
    expect(answer).toMatchObject({ code: 500, info: { field: 'email' } })
  })

  it('leaves no secret in the database after the mail was sent', async () => {
    const secret = await fetchSecret()
    const { rows } = await site.context.database.pool.query(
      "SELECT query_to_xml('SELECT * FROM mail_links', true, false, '')::text || query_to_xml('SELECT * FROM mails', true, false, '')::text AS stored",
    )
    expect(rows[0].stored).not.toContain(secret)
  })

  it('is accepted from a known browser even after strangers have used up the limit', async () => {
    for (let times = 0; times < 3; times++) await ask(member.email)
    expect((await ask(member.email)).status).toBe(429)
    const { visitor } = member
    const requestReset = () => visitor.call(requestPasswordReset, { body: { email: member.email } })
    for (let times = 0; times < 3; times++) expect((await requestReset()).answer.code).toBe(200)
    expect((await requestReset()).status).toBe(429)
  })
})

describe('a reset link', () => {
  it('sets the password, ends every session, verifies the address and notifies the user', async () => {
    const secret = await fetchSecret()
    expect((await reset(secret)).answer).toEqual({ code: 200, info: { changed: true } })
    expect(await member.visitor.callOk(getUser)).toMatchObject({ role: 'visitor' })
    expect((await logIn(member.password)).answer.code).toBe(500)
    expect((await logIn(fresh)).answer.info).toMatchObject({ role: 'member', email_verified: true })
    expect((await latest())?.subject).toBe('Your password was changed')
  })

  it('ends the delay of sign-ins in the browser that opens it', async () => {
    const { visitor, email } = member
    await visitor.callOk(signOut)
    const signInWith = (password: string) => visitor.call(signIn, { body: { email, password } })
    // Stops the clock. Otherwise, on a slow machine, the first delay of one second could have passed before the next
    // call.
    stoppedAt = Date.now()
    for (let times = 0; times < 5; times++) await signInWith('not the password')
    expect((await signInWith(member.password)).status).toBe(429)
    const secret = await fetchSecret()
    await visitor.callOk(resetPassword, { body: { secret, new_password: fresh, repeat_password: fresh } })
    expect((await signInWith(fresh)).answer.code).toBe(200)
  })

  it('works once, even if it is used concurrently', async () => {
    const secret = await fetchSecret()
    const answers = await Promise.all([reset(secret), reset(secret), reset(secret)])
    expect(answers.map(({ answer }) => answer.code).toSorted()).toEqual([200, 500, 500])
    expect((await reset(secret)).answer).toMatchObject({
      code: 500,
      message: expect.stringContaining('link'),
    })
  })

  it('works for ten minutes only', async () => {
    stoppedAt = Date.now()
    const secret = await fetchSecret()
    offset = 601_000
    expect((await reset(secret)).answer.code).toBe(500)
    offset = 590_000
    expect((await reset(secret)).answer.code).toBe(200)
  })

  it('is invalid after a newer link was mailed', async () => {
    const [older, newer] = [await fetchSecret(), await fetchSecret()]
    expect((await reset(older)).answer.code).toBe(500)
    expect((await reset(newer)).answer.code).toBe(200)
  })

  it('cannot verify an address, and a verification link cannot reset a password', async () => {
    const verify = linkSecretOf(await latest())
    const secret = await fetchSecret()
    expect((await site.visitor().call(verifyEmail, { body: { secret } })).answer.code).toBe(500)
    expect((await reset(verify)).answer.code).toBe(500)
  })

  it('is invalid after the account got another address', async () => {
    const secret = await fetchSecret()
    await site.context.db
      .updateTable('users')
      .set({ email: `moved-${member.email}` })
      .where('email', '=', member.email)
      .execute()
    expect((await reset(secret)).answer.code).toBe(500)
  })

  it('invalidates a pending change of address, which an attacker may have requested', async () => {
    await member.visitor.callOk(changeUser, {
      body: { email: `thief-${member.email}`, current_password: member.password },
    })
    const thief = linkSecretOf((await site.mails(`thief-${member.email}`)).at(-1))
    await reset(await fetchSecret())
    expect((await site.visitor().call(verifyEmail, { body: { secret: thief } })).answer.code).toBe(500)
  })

  it('removes the second factor if the address was never verified, because a stranger may have set it up', async () => {
    const { id } = await member.visitor.callOk(getUser)
    await site.context.db
      .insertInto('second_factors')
      .values({ user_id: id, encrypted_secret: Buffer.from(''), confirmed_at: new Date() })
      .execute()
    await reset(await fetchSecret())
    expect((await logIn(fresh)).answer.code).toBe(200)
  })

  it('keeps the second factor if the address is verified', async () => {
    await site.visitor().callOk(verifyEmail, { body: { secret: linkSecretOf(await latest()) } })
    const { id } = await member.visitor.callOk(getUser)
    await site.context.db
      .insertInto('second_factors')
      .values({ user_id: id, encrypted_secret: Buffer.from(''), confirmed_at: new Date() })
      .execute()
    await reset(await fetchSecret())
    expect((await logIn(fresh)).answer.code).toBe(401)
  })

  it.each([
    ['new_password', 'short', 'short'],
    ['new_password', 'x'.repeat(129), 'x'.repeat(129)],
    ['new_password', 'password123', 'password123'],
    ['repeat_password', fresh, 'another passphrase'],
  ])('remains valid if the passwords are refused: %s', async (field, password, repeat) => {
    const secret = await fetchSecret()
    expect((await reset(secret, password, repeat)).answer).toMatchObject({ code: 500, info: { field } })
    expect((await reset(secret)).answer.code).toBe(200)
  })

  it('is refused with a wrong or missing secret', async () => {
    expect((await reset('')).answer.code).toBe(500)
    expect((await reset('A'.repeat(43))).answer.code).toBe(500)
  })
})

describe('a client that is not signed in', () => {
  it('cannot set up a second factor', async () => {
    const { answer } = await site.visitor().call(changeSecondFactor, { body: { action: 'start' } })
    expect(answer.code).toBe(401)
  })
})
