import { Secret, TOTP } from 'otpauth'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { changeSecondFactor, changeUser, deleteUser, getUser, signIn } from '#contract/members.ts'
import { createMember, type Member } from '#server/testing/builders/member.ts'
import { waitForLock } from '#server/testing/database/wait-for-lock.ts'
import { startTestSite, type TestSite } from '#server/testing/site/test-site.ts'

let site: TestSite
let member: Member
/** A time in the middle of a half minute, so that no test crosses into the next half minute. */
let now = 0

const stepMs = 30_000
beforeAll(async () => {
  site = await startTestSite(
    { clock: { now: () => new Date(now) } },
    { SITE_NAME: 'Test Dramas', RATE_LIMIT_SIGN_IN_PER_ACCOUNT: '100/min' },
  )
})
afterAll(() => site.close())
beforeEach(async () => {
  now = Math.floor(Date.now() / stepMs) * stepMs + stepMs / 2
  member = await createMember(site)
})

interface Asked {
  action: 'start' | 'confirm' | 'remove'
  current_password?: string
  code?: string
}
const change = (body: Asked) => member.visitor.call(changeSecondFactor, { body })
const begin = async () => {
  const { answer } = await change({ action: 'start', current_password: member.password })
  return answer.info?.secret ?? ''
}
/** Returns the app's code for the half minute at this offset from now. */
const codeOf = (secret: string, steps = 0) =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: now + steps * stepMs })
/** Sets up the factor, which uses up the first code. */
const setUp = async () => {
  const secret = await begin()
  const { answer } = await change({ action: 'confirm', code: codeOf(secret) })
  now += stepMs
  return { secret, codes: answer.info?.recovery_codes ?? [] }
}
const logIn = (totp?: string, password = member.password) =>
  site
    .visitor()
    .call(signIn, { body: { email: member.email, password, ...(totp === undefined ? {} : { totp }) } })
const codesOf = (answers: readonly { answer: { code: number } }[]) =>
  answers.map(({ answer }) => answer.code).toSorted()

describe('a second factor', () => {
  it('is set up with the password, and is required only after a code of the app has confirmed it', async () => {
    const { answer } = await change({ action: 'start', current_password: member.password })
    expect(answer.info).toMatchObject({ enabled: false, secret: expect.stringMatching(/^[A-Z2-7]{32}$/) })
    expect(answer.info?.otpauth_url).toContain(`secret=${answer.info?.secret}`)
    expect(answer.info?.otpauth_url).toContain('issuer=Test%20Dramas')
    expect((await logIn()).answer.code).toBe(200)
    const confirmed = await change({ action: 'confirm', code: codeOf(answer.info?.secret ?? '') })
    expect(confirmed.answer.info?.enabled).toBe(true)
    expect(new Set(confirmed.answer.info?.recovery_codes).size).toBe(10)
    expect((await member.visitor.callOk(getUser)).second_factor).toBe(true)
    expect((await logIn()).answer).toMatchObject({ code: 401, info: { second_factor: 'totp' } })
  })

  it('is not set up with a wrong or missing password', async () => {
    for (const current_password of ['not it', undefined]) {
      const { answer } = await change({ action: 'start', ...(current_password ? { current_password } : {}) })
      expect(answer).toMatchObject({ code: 500, info: { field: 'current_password' } })
    }
  })

  it('cannot be confirmed with a wrong or missing code, and cannot be confirmed twice', async () => {
    const secret = await begin()
    for (const code of ['', '000000', codeOf(secret, 5)])
      expect((await change({ action: 'confirm', code })).answer).toMatchObject({
        code: 500,
        info: { field: 'code' },
      })
    expect((await change({ action: 'confirm', code: codeOf(secret) })).answer.code).toBe(200)
    expect((await change({ action: 'confirm', code: codeOf(secret, 1) })).answer.code).toBe(409)
  })

  it('cannot be confirmed before it is set up, and cannot be set up again after it is confirmed', async () => {
    expect((await change({ action: 'confirm', code: '123456' })).answer.code).toBe(409)
    const { secret } = await setUp()
    expect((await change({ action: 'start', current_password: member.password })).answer.code).toBe(409)
    expect((await logIn(codeOf(secret))).answer.code).toBe(200)
  })

  it('is not available to guests', async () => {
    const guest = site.visitor()
    await guest.callOk(getUser)
    for (const action of ['start', 'confirm', 'remove'] as const)
      expect((await guest.call(changeSecondFactor, { body: { action } })).answer.code).toBe(401)
  })

  it('is stored encrypted, and its recovery codes are stored as hashes', async () => {
    const { secret, codes } = await setUp()
    const { rows } = await site.context.database.pool.query<{ secret: Buffer }>(
      'SELECT encrypted_secret AS secret FROM second_factors UNION ALL SELECT hash FROM recovery_codes',
    )
    expect(rows.length).toBeGreaterThanOrEqual(11)
    const stored = Buffer.concat(rows.map((row) => row.secret)).toString('latin1')
    for (const value of [secret, Secret.fromBase32(secret).latin1, ...codes])
      expect(stored).not.toContain(value)
  })
})

describe('signing in with a second factor', () => {
  it.each([-1, 0, 1])('accepts the code of the 30-second step at offset %i', async (steps) => {
    const { secret } = await setUp()
    now += stepMs
    expect((await logIn(codeOf(secret, steps))).answer.code).toBe(200)
  })

  it.each([-2, 2])('refuses the code of the 30-second step at offset %i', async (steps) => {
    const { secret } = await setUp()
    now += 2 * stepMs
    expect((await logIn(codeOf(secret, steps))).answer).toMatchObject({ code: 500, info: { field: 'totp' } })
  })

  it('refuses a code that is far too long, and names its field', async () => {
    await setUp()
    expect((await logIn('1'.repeat(600))).answer).toMatchObject({ code: 500, info: { field: 'totp' } })
  })

  it('accepts a code with the space that apps show', async () => {
    const { secret } = await setUp()
    const code = codeOf(secret)
    expect((await logIn(`${code.slice(0, 3)} ${code.slice(3)}`)).answer.code).toBe(200)
  })

  it('accepts a code once, and then no earlier code', async () => {
    const { secret } = await setUp()
    now += stepMs
    expect((await logIn(codeOf(secret))).answer.code).toBe(200)
    expect((await logIn(codeOf(secret))).answer.code).toBe(500)
    expect((await logIn(codeOf(secret, -1))).answer.code).toBe(500)
    expect((await logIn(codeOf(secret, 1))).answer.code).toBe(200)
  })

  it('accepts a code from only one of five concurrent calls', async () => {
    const { secret } = await setUp()
    const answers = await Promise.all(Array.from({ length: 5 }, () => logIn(codeOf(secret))))
    expect(codesOf(answers)).toEqual([200, 500, 500, 500, 500])
  })

  it('does not use up a code if the password is wrong', async () => {
    const { secret } = await setUp()
    expect((await logIn(codeOf(secret), 'not the password')).answer).toMatchObject({
      info: { field: 'password' },
    })
    expect((await logIn(codeOf(secret))).answer.code).toBe(200)
  })

  it('accepts each recovery code once, whatever its case and spaces', async () => {
    const { codes } = await setUp()
    const [first = '', second = ''] = codes
    expect((await logIn(first)).answer.code).toBe(200)
    expect((await logIn(first)).answer.code).toBe(500)
    expect((await logIn(second.toUpperCase().replace('-', ' '))).answer.code).toBe(200)
    const third = await Promise.all(Array.from({ length: 3 }, () => logIn(codes[2])))
    expect(codesOf(third)).toEqual([200, 500, 500])
  })

  it('refuses another member’s recovery code', async () => {
    const { codes } = await setUp()
    member = await createMember(site)
    await setUp()
    expect((await logIn(codes[0])).answer.code).toBe(500)
  })

  it('is delayed after wrong codes, as after wrong passwords', async () => {
    const { secret } = await setUp()
    for (let time = 0; time < 5; time++) expect((await logIn('000000')).status).toBe(200)
    const { status, headers } = await logIn(codeOf(secret))
    expect([status, headers.get('retry-after')]).toEqual([429, '1'])
  })

  it('accepts the code without delay after the correct password, despite earlier wrong passwords', async () => {
    const { secret } = await setUp()
    for (let time = 0; time < 7; time++) {
      expect((await logIn(undefined, 'mistyped')).answer.code).toBe(500)
      now += 4000
    }
    expect((await logIn()).answer.code).toBe(401)
    expect((await logIn(codeOf(secret))).answer.code).toBe(200)
  })

  it('allows no additional guesses at the code after sign-ins with only the password', async () => {
    await setUp()
    const turns = async () => {
      const signedIn = await logIn()
      const guessed = await logIn('000000')
      return [signedIn.answer.code, guessed.answer.code, guessed.headers.get('retry-after')]
    }
    for (let time = 0; time < 5; time++) expect(await turns()).toEqual([401, 500, null])
    for (const rest of [1, 2, 4]) {
      expect(await turns()).toEqual([429, 429, String(rest)])
      now += rest * 1000
      expect(await turns()).toEqual([401, 500, null])
    }
  })

  it('keeps the delay after wrong codes despite a concurrent sign-in without a code', async () => {
    await setUp()
    const { database } = site.context
    for (let time = 0; time < 5; time++) await logIn('000000')
    now += 1000
    const other = await database.pool.connect()
    await other.query('BEGIN')
    await other.query('SELECT FROM users WHERE email = $1 FOR UPDATE', [member.email])
    const signingIn = logIn()
    await waitForLock(database.pool)
    now += 2000
    const guessed = logIn('000000')
    await waitForLock(database.pool, 2)
    await other.query('ROLLBACK')
    other.release()
    expect((await signingIn).answer.code).toBe(401)
    expect((await guessed).answer.code).toBe(500)
    expect((await logIn('000000')).status).toBe(429)
  })

  it('records a wrong code as a failed sign-in', async () => {
    await setUp()
    await logIn('000000')
    const { rows } = await site.context.database.pool.query(
      "SELECT details FROM audit_events WHERE event = 'sign_in_failed' AND user_id = $1",
      [(await member.visitor.callOk(getUser)).id],
    )
    expect(rows).toEqual([{ details: { second_factor: true } }])
  })
})

it('the member gets a mail when a second factor is confirmed and when it is removed', async () => {
  const { secret } = await setUp()
  const body = { action: 'remove', current_password: member.password, code: codeOf(secret) } as const
  await change({ ...body, code: '000000' })
  expect((await change(body)).answer.code).toBe(200)
  const subjects = (await site.mails(member.email)).map(({ subject }) => subject)
  expect(subjects).toEqual([
    'Confirm your e-mail address',
    'Two-step sign-in is on',
    'Two-step sign-in is off',
  ])
})

describe('a member without a password', () => {
  const deleteWith = (totp: string) => member.visitor.call(deleteUser, { body: { totp } })

  it('is delayed after wrong codes, and can use the correct code after the delay', async () => {
    const { secret } = await setUp()
    const { id } = await member.visitor.callOk(getUser)
    await site.context.database.pool.query('UPDATE users SET password_hash = NULL WHERE id = $1', [id])
    now += 16 * 60_000
    for (let time = 0; time < 5; time++)
      expect((await deleteWith('000000')).answer).toMatchObject({ code: 500, info: { field: 'totp' } })
    expect((await deleteWith(codeOf(secret))).status).toBe(429)
    now += stepMs
    expect((await deleteWith(codeOf(secret))).answer.info).toMatchObject({ role: 'visitor' })
  })
})

describe('removing a second factor', () => {
  it('requires the password and a code, and deletes the recovery codes', async () => {
    const { secret, codes } = await setUp()
    const body = { action: 'remove', current_password: member.password } as const
    expect((await change({ ...body, code: codeOf(secret) })).answer.info).toEqual({ enabled: false })
    expect((await logIn()).answer.code).toBe(200)
    expect((await member.visitor.callOk(getUser)).second_factor).toBe(false)
    await setUp()
    expect((await logIn(codes[0])).answer.code).toBe(500)
  })

  it('accepts a recovery code as well', async () => {
    const { codes } = await setUp()
    const body = { action: 'remove', current_password: member.password } as const
    expect((await change({ ...body, code: codes[0] ?? '' })).answer.code).toBe(200)
  })

  it.each([
    ['code', (member: Member) => ({ current_password: member.password })],
    ['code', (member: Member) => ({ current_password: member.password, code: ' ' })],
    ['code', (member: Member) => ({ current_password: member.password, code: '000000' })],
    ['current_password', () => ({ code: '000000' })],
    ['current_password', () => ({ current_password: 'not it', code: '000000' })],
  ])('is refused without the correct %s', async (field, proof) => {
    await setUp()
    const { answer } = await change({ action: 'remove', ...proof(member) })
    expect(answer).toMatchObject({ code: 500, info: { field } })
    expect((await logIn()).answer.code).toBe(401)
  })

  it('is delayed after wrong codes', async () => {
    const { secret } = await setUp()
    const body = { action: 'remove', current_password: member.password } as const
    for (let time = 0; time < 5; time++) expect((await change({ ...body, code: '000000' })).status).toBe(200)
    expect((await change({ ...body, code: codeOf(secret) })).status).toBe(429)
  })

  it('is delayed after wrong codes, even if a call with the correct password follows each of them', async () => {
    const { secret } = await setUp()
    const body = { action: 'remove', current_password: member.password } as const
    const provePassword = () =>
      member.visitor.callOk(changeUser, { body: { email: member.email, current_password: member.password } })
    for (let time = 0; time < 5; time++) {
      expect((await change({ ...body, code: '000000' })).status).toBe(200)
      await provePassword()
    }
    expect((await change({ ...body, code: codeOf(secret) })).status).toBe(429)
  })

  it('is not necessary for a change of the password, and the factor remains required after the change', async () => {
    const { secret } = await setUp()
    const new_password = 'a quite new passphrase'
    await member.visitor.callOk(changeUser, { body: { current_password: member.password, new_password } })
    expect((await logIn(undefined, new_password)).answer.code).toBe(401)
    expect((await logIn(codeOf(secret), new_password)).answer.code).toBe(200)
  })
})
