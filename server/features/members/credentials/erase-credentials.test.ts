import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  changeUser,
  deleteUser,
  exportUser,
  requestPasswordReset,
  getUser,
  registerUser,
  resetPassword,
  verifyEmail,
} from '#contract/members.ts'
import { createMember, linkSecretOf } from '#server/testing/builders/member.ts'
import { startTestSite, type TestSite } from '#server/testing/site/test-site.ts'
import { sendResetLinks } from './passwords/reset-password.ts'

let site: TestSite
beforeAll(async () => {
  site = await startTestSite()
})
afterAll(() => site.close())

test("a deletion cancels the member's mails, and invalidates the member's links and codes", async () => {
  const { visitor, email, password } = await createMember(site)
  const { id } = await visitor.callOk(getUser)
  const { db } = site.context
  await site.visitor().callOk(requestPasswordReset, { body: { email } })
  const secret = linkSecretOf((await site.mails(email)).at(-1))
  await db
    .insertInto('second_factors')
    .values({ user_id: id, encrypted_secret: Buffer.from('sealed'), confirmed_at: null })
    .execute()
  const { email: other } = await createMember(site)
  // Queues a reset request and two mails, one of them for a new address.
  await visitor.callOk(verifyEmail, { body: {} })
  await visitor.callOk(requestPasswordReset, { body: { email } })
  const newEmail = `new-${email}`
  await visitor.callOk(changeUser, { body: { email: newEmail, current_password: password } })
  await visitor.callOk(deleteUser, { body: { current_password: password } })
  expect(await site.mails(email)).toHaveLength(2)
  expect(await site.mails(newEmail)).toEqual([])
  expect(await site.mails(other)).toHaveLength(1)
  const new_password = 'a quite new passphrase'
  const body = { secret, new_password, repeat_password: new_password }
  expect((await site.visitor().call(resetPassword, { body })).answer.code).toBe(500)
  expect(await db.selectFrom('mail_links').selectAll().where('user_id', '=', id).execute()).toEqual([])
  expect(await db.selectFrom('second_factors').selectAll().where('user_id', '=', id).execute()).toEqual([])
})

test("a deletion cancels the member's mails to an earlier spelling of the address", async () => {
  const [email, password] = ['Grace@example.com', 'an old passphrase']
  const visitor = site.visitor()
  await visitor.callOk(registerUser, { body: { email, password, repeat_password: password } })
  const written = email.toLowerCase()
  await visitor.callOk(changeUser, { body: { email: written, current_password: password } })
  const [mail] = await site.mails(written)
  const before = await site.mails(email)
  // Queues a mail to the earlier spelling, which applies until the new spelling is verified.
  await visitor.callOk(requestPasswordReset, { body: { email } })
  await sendResetLinks(site.context)
  await visitor.callOk(verifyEmail, { body: { secret: linkSecretOf(mail) } })
  await visitor.callOk(deleteUser, { body: { current_password: password } })
  expect(await site.mails(email)).toEqual(before)
})

test('an export includes the new address that a pending link was sent to', async () => {
  const { visitor, email, password } = await createMember(site)
  const newEmail = `new-${email}`
  await visitor.callOk(changeUser, { body: { email: newEmail, current_password: password } })
  const times = { created_at: expect.any(String), expires_at: expect.any(String) }
  expect(await visitor.callOk(exportUser)).toHaveProperty('mail_links', [
    { purpose: 'verify', email: newEmail, ...times },
  ])
})

test('an export includes the date of the second factor, but not its secret', async () => {
  const { visitor } = await createMember(site)
  const { id } = await visitor.callOk(getUser)
  const since = new Date('2026-11-21T08:00:00Z')
  await site.context.db
    .insertInto('second_factors')
    .values({ user_id: id, encrypted_secret: Buffer.from('sealed'), confirmed_at: since })
    .execute()
  const { answer } = await visitor.call(exportUser)
  expect(answer.info).toMatchObject({ second_factor: { since: since.toISOString() } })
  expect(JSON.stringify(answer)).not.toContain('sealed')
})
