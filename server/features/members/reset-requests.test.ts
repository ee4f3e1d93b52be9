import { afterAll, beforeAll, expect, test } from 'vitest'
import { forgotPassword } from '#contract/members.ts'
import { register } from '#server/testing/member.ts'
import { testSite, type TestSite } from '#server/testing/test-site.ts'
import { answerResetRequests } from './reset-password.ts'

const tries = 200
let site: TestSite

beforeAll(async () => {
  site = await testSite({}, { LIMIT_RESET_ACCOUNT: '1000/min' })
})
afterAll(() => site.close())

const ask = (email: string) => site.visitor().call(forgotPassword, { body: { email } })
const median = (times: number[]) => times.toSorted((one, other) => one - other)[times.length / 2] ?? NaN

test('the time of the answer does not tell whether there is an account', { timeout: 60_000 }, async () => {
  const { email } = await register(site)
  const times = { known: [] as number[], unknown: [] as number[] }
  const measure = async (kind: keyof typeof times, address: string) => {
    const began = performance.now()
    await ask(address)
    times[kind].push(performance.now() - began)
  }
  await Promise.all([ask(email), ask('nobody@example.com')])
  for (let time = 0; time < tries; time++) {
    await measure('known', email)
    await measure('unknown', 'nobody@example.com')
  }
  expect(Math.abs(median(times.known) - median(times.unknown))).toBeLessThan(10)
})

test('ten processes that look for requests at once answer each of them once', async () => {
  const members = await Promise.all(Array.from({ length: 30 }, () => register(site)))
  await answerResetRequests(site.context)
  await Promise.all(members.map(({ email }) => ask(email)))
  await Promise.all(Array.from({ length: 10 }, () => answerResetRequests(site.context)))
  for (const { email } of members.slice(0, 5)) {
    const subjects = (await site.mails(email)).map(({ subject }) => subject)
    expect(subjects).toEqual(['Confirm your e-mail address', 'Set a new password'])
  }
  const left = await site.context.db.selectFrom('reset_requests').select('id').execute()
  expect(left).toEqual([])
})

test('a request whose answer did not commit is answered by the next who looks', async () => {
  const { email } = await register(site)
  await ask(email)
  const { db, clock } = site.context
  const failing = {
    now: () => {
      throw new Error('killed here')
    },
  }
  await expect(answerResetRequests({ ...site.context, clock: failing })).rejects.toThrow('killed here')
  expect(await db.selectFrom('reset_requests').select('email').execute()).toEqual([{ email }])
  await answerResetRequests({ ...site.context, clock })
  expect((await site.mails(email)).at(-1)?.subject).toBe('Set a new password')
})
