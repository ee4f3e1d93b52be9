import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { getUser, registerUser, signIn } from '#contract/members.ts'
import { password, registerMember } from '#server/testing/builders/register-member.ts'
import { systemClock } from '#server/platform/clock.ts'
import { startTestSite, type TestSite } from '#server/testing/site/test-site.ts'
import * as hashing from '#server/features/members/credentials/passwords/run-hashing.ts'

vi.mock('#server/features/members/credentials/passwords/run-hashing.ts', async (original) => {
  const real = await original<typeof hashing>()
  return { ...real, runHashing: vi.fn(real.runHashing) }
})

let site: TestSite
beforeAll(async () => {
  // With this override, SITE_PROCESSES=2 starts no second process, so the test can observe all hashing.
  site = await startTestSite({ clock: systemClock })
})
afterAll(() => site.close())

test('sign-in does the same work for a wrong password, an unknown address and a member without a password', async () => {
  const { email } = await registerMember(site)
  const social = await registerMember(site)
  await site.context.db
    .updateTable('users')
    .set({ password_hash: null })
    .where('id', '=', social.user.id)
    .execute()
  const visitor = site.visitor()
  await visitor.callOk(getUser)
  const verify = vi.mocked(hashing.runHashing).mockClear()
  const answers = []
  for (const address of [email, 'nobody@example.com', social.email]) {
    const { status, answer } = await visitor.call(signIn, {
      body: { email: address, password: 'not the password' },
    })
    answers.push({ status, ...answer })
    expect(verify).toHaveBeenCalledOnce()
    verify.mockClear()
  }
  expect(answers[0]).toMatchObject({ status: 200, code: 500, info: { field: 'password' } })
  expect(answers[1]).toEqual(answers[0])
  expect(answers[2]).toEqual(answers[0])
  expect((await visitor.callOk(getUser)).role).toBe('visitor')
})

test('a registration does the same work whether or not the address is taken', async () => {
  const { email } = await registerMember(site)
  const hash = vi.mocked(hashing.runHashing)
  for (const [address, code] of [
    [email, 500],
    ['free@example.com', 200],
  ] as const) {
    hash.mockClear()
    const body = { email: address, password, repeat_password: password }
    expect((await site.visitor().call(registerUser, { body })).answer.code).toBe(code)
    expect(hash).toHaveBeenCalledOnce()
  }
})
