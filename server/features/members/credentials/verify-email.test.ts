import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { changeUser, getUser, registerUser, signIn, verifyEmail } from '#contract/members.ts'
import { createMember, linkSecretOf, type Member } from '#server/testing/builders/member.ts'
import { startTestSite, type TestSite } from '#server/testing/site/test-site.ts'

let site: TestSite
let member: Member
let newEmail: string
let offset = 0

beforeAll(async () => {
  site = await startTestSite({ clock: { now: () => new Date(Date.now() + offset) } })
})
afterAll(() => site.close())
beforeEach(async () => {
  offset = 0
  member = await createMember(site)
  newEmail = `new-${member.email}`
})

const latest = async (email: string) => (await site.mails(email)).at(-1)
const fetchSecret = async (email: string) => linkSecretOf(await latest(email))
const verify = (secret?: string, visitor = site.visitor()) =>
  visitor.call(verifyEmail, { body: secret === undefined ? {} : { secret } })
const askToMove = (email = newEmail) =>
  member.visitor.call(changeUser, { body: { email, current_password: member.password } })
const whoIs = () => member.visitor.callOk(getUser)

describe('registering', () => {
  it('mails a link that verifies the address and can be opened repeatedly', async () => {
    const mail = await latest(member.email)
    expect(mail?.link).toMatch(/^http:\/\/localhost:3000\/individual#verify=[\w-]{43}$/)
    expect((await whoIs()).email_verified).toBe(false)
    const { answer } = await verify(linkSecretOf(mail))
    expect(answer).toEqual({ code: 200, info: { verified: true, email: member.email } })
    expect((await whoIs()).email_verified).toBe(true)
    expect((await verify(linkSecretOf(mail))).answer).toEqual(answer)
  })

  it('mails the link in the language that the user chose, otherwise in the language of the call', async () => {
    const email = `dutiful-${member.email}`
    const body = { email, password: member.password, repeat_password: member.password }
    const headers = { 'accept-language': 'es' }
    const guest = site.visitor()
    await guest.callOk(getUser)
    await guest.callOk(changeUser, { body: { language: 'dy' } })
    await guest.callOk(registerUser, { body, headers })
    expect((await latest(email))?.subject).toBe('Bestätigen Sie Ihre E-Mail-Adresse')
    await site.visitor().callOk(registerUser, { body: { ...body, email: `other-${email}` }, headers })
    expect((await latest(`other-${email}`))?.subject).toBe('Confirma tu correo electrónico')
  })

  it('mails a link that expires after a day, whether or not it was used', async () => {
    const secret = await fetchSecret(member.email)
    await verify(secret)
    const unused = await fetchSecret((await createMember(site)).email)
    offset = 86_401_000
    for (const old of [secret, unused]) expect((await verify(old)).answer.code).toBe(500)
  })

  it('mails the owner of a taken address at most once a day', async () => {
    const again = {
      email: member.email.toUpperCase(),
      password: 'some passphrase',
      repeat_password: 'some passphrase',
    }
    for (let time = 0; time < 3; time++)
      expect((await site.visitor().call(registerUser, { body: again })).answer).toMatchObject({
        code: 500,
        info: { field: 'email' },
      })
    const subjects = (await site.mails(member.email)).map(({ subject }) => subject)
    expect(subjects).toEqual(['Confirm your e-mail address', 'You already have an account'])
  })
})

describe('a new address', () => {
  it('applies once its link is opened, and the former address gets a mail', async () => {
    expect((await askToMove()).answer.code).toBe(200)
    expect((await whoIs()).email).toBe(member.email)
    const { answer } = await verify(await fetchSecret(newEmail))
    expect(answer.info).toEqual({ verified: true, email: newEmail })
    expect(await whoIs()).toMatchObject({ email: newEmail, email_verified: true })
    expect((await latest(member.email))?.subject).toBe('Your account’s e-mail address was changed')
    const { id } = await whoIs()
    const changes = "SELECT FROM audit_events WHERE event = 'email_changed' AND user_id = $1"
    expect((await site.context.database.pool.query(changes, [id])).rowCount).toBe(1)
    const body = { email: newEmail, password: member.password }
    expect((await site.visitor().call(signIn, { body })).answer.code).toBe(200)
  })

  it('causes one mail to the former address if the link is opened twice concurrently', async () => {
    await askToMove()
    const secret = await fetchSecret(newEmail)
    const answers = await Promise.all([verify(secret), verify(secret)])
    expect(answers.map(({ answer }) => answer.info)).toEqual(
      [1, 2].map(() => ({ verified: true, email: newEmail })),
    )
    const subjects = (await site.mails(member.email)).map(({ subject }) => subject)
    expect(subjects).toEqual(['Confirm your e-mail address', 'Your account’s e-mail address was changed'])
  })

  it('is not applied if it was requested before the password was changed', async () => {
    const own = await fetchSecret(member.email)
    await askToMove()
    const intruders = await fetchSecret(newEmail)
    const body = { current_password: member.password, new_password: 'a quite new passphrase' }
    await member.visitor.callOk(changeUser, { body })
    expect((await verify(intruders)).answer.code).toBe(500)
    expect((await verify(own)).answer.code).toBe(500)
    expect((await whoIs()).email).toBe(member.email)
  })

  it('is refused if another account has taken it before the link is opened', async () => {
    await askToMove()
    const secret = await fetchSecret(newEmail)
    const password = 'some passphrase'
    await site
      .visitor()
      .callOk(registerUser, { body: { email: newEmail, password, repeat_password: password } })
    expect((await verify(secret)).answer).toMatchObject({ code: 500, info: { field: 'email' } })
    expect(await whoIs()).toMatchObject({ email: member.email })
  })

  it('is refused at once if another account has it, and the owner of that account gets a mail', async () => {
    const other = await createMember(site)
    expect((await askToMove(other.email)).answer).toMatchObject({ code: 500, info: { field: 'email' } })
    expect((await latest(other.email))?.subject).toBe('You already have an account')
  })

  it('is given to one of two accounts that open their links for it concurrently', async () => {
    const other = await createMember(site)
    await askToMove()
    const mine = await fetchSecret(newEmail)
    await other.visitor.callOk(changeUser, { body: { email: newEmail, current_password: other.password } })
    const theirs = await fetchSecret(newEmail)
    const answers = await Promise.all([verify(mine), verify(theirs)])
    expect(answers.map(({ answer }) => answer.code).toSorted()).toEqual([200, 500])
  })

  it('invalidates the links to the former address', async () => {
    const former = await fetchSecret(member.email)
    await askToMove()
    await verify(await fetchSecret(newEmail))
    expect((await verify(former)).answer.code).toBe(500)
    expect((await whoIs()).email).toBe(newEmail)
  })

  it('is stored as typed if it differs from the former address only in case', async () => {
    const typed = member.email.replace('ada', 'Ada')
    await askToMove(typed)
    await verify(await fetchSecret(typed))
    expect(await whoIs()).toMatchObject({ email: typed, email_verified: true })
  })
})

describe('another verification link', () => {
  it('is mailed to a member whose address is not verified, and invalidates the previous link', async () => {
    const before = await fetchSecret(member.email)
    const { answer } = await verify(undefined, member.visitor)
    expect(answer).toEqual({ code: 200, info: { verified: false, email: member.email } })
    const after = await fetchSecret(member.email)
    expect(after).not.toBe(before)
    expect((await verify(before)).answer.code).toBe(500)
    expect((await verify(after)).answer.code).toBe(200)
  })

  it('is mailed to the new address if a change is pending', async () => {
    await askToMove()
    const { answer } = await verify(undefined, member.visitor)
    expect(answer.info).toEqual({ verified: false, email: newEmail })
    expect(await site.mails(newEmail)).toHaveLength(2)
  })

  it('is not mailed if all addresses are verified', async () => {
    await verify(await fetchSecret(member.email))
    const { answer } = await verify(undefined, member.visitor)
    expect(answer.info).toEqual({ verified: true, email: member.email })
    expect(await site.mails(member.email)).toHaveLength(1)
  })

  it('is mailed three times an hour at most', async () => {
    for (let time = 0; time < 3; time++) expect((await verify(undefined, member.visitor)).status).toBe(200)
    expect((await verify(undefined, member.visitor)).status).toBe(429)
    expect((await askToMove()).status).toBe(429)
  })

  it('is not available to guests', async () => {
    const guest = site.visitor()
    await guest.callOk(getUser)
    expect((await verify(undefined, guest)).answer.code).toBe(401)
    expect((await verify(undefined)).answer.code).toBe(401)
  })
})

it('the link for the current address remains valid after a change of the password', async () => {
  const secret = await fetchSecret(member.email)
  const body = { current_password: member.password, new_password: 'a quite new passphrase' }
  await member.visitor.callOk(changeUser, { body })
  expect((await verify(secret)).answer.info).toEqual({ verified: true, email: member.email })
})

it('a change of the password causes a mail', async () => {
  const body = { current_password: member.password, new_password: 'a quite new passphrase' }
  await member.visitor.callOk(changeUser, { body })
  expect((await latest(member.email))?.subject).toBe('Your password was changed')
})
