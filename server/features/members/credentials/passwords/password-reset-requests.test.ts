import { afterAll, beforeAll, expect, test } from 'vitest'
import { requestPasswordReset } from '#contract/members.ts'
import { systemClock } from '#server/platform/clock.ts'
import { createMember } from '#server/testing/builders/member.ts'
import { startTestSite, type TestSite } from '#server/testing/site/test-site.ts'
import { recordQueries } from '#server/testing/database/record-queries.ts'
import { sendResetLinks } from './reset-password.ts'

let site: TestSite

beforeAll(async () => {
  // With this override, SITE_PROCESSES=2 starts no second process, so the test can observe all queries.
  site = await startTestSite({ clock: systemClock }, { RATE_LIMIT_MAIL_LINKS_PER_ACCOUNT: '1000/min' })
})
afterAll(() => site.close())

const ask = (email: string) => site.visitor().call(requestPasswordReset, { body: { email } })

// This test compares the queries. `npm run bench -- sign-in` compares the response times.
test('a reset request stores a row and does nothing else, whether or not the account exists', async () => {
  const { email } = await createMember(site)
  const recordedQueries = recordQueries('users', 'mail_links', 'mails', 'password_reset_requests')
  const queriesFor = async (address: string) => {
    const before = recordedQueries().length
    const { answer } = await ask(address)
    return { answer, queries: recordedQueries().slice(before) }
  }
  const known = await queriesFor(email)
  expect(known.queries).toEqual([expect.stringContaining('insert into "password_reset_requests"')])
  expect(await queriesFor('nobody@example.com')).toEqual(known)
})

test('ten concurrent runs of the job answer each request once', async () => {
  const members = await Promise.all(Array.from({ length: 30 }, () => createMember(site)))
  await sendResetLinks(site.context)
  await Promise.all(members.map(({ email }) => ask(email)))
  await Promise.all(Array.from({ length: 10 }, () => sendResetLinks(site.context)))
  for (const { email } of members.slice(0, 5)) {
    const subjects = (await site.mails(email)).map(({ subject }) => subject)
    expect(subjects).toEqual(['Confirm your e-mail address', 'Reset your password'])
  }
  const remaining = await site.context.db.selectFrom('password_reset_requests').select('id').execute()
  expect(remaining).toEqual([])
})

test('a request is answered by the next run if its answer was rolled back', async () => {
  const { email } = await createMember(site)
  await ask(email)
  const { db, clock } = site.context
  const failing = {
    now: () => {
      throw new Error('killed here')
    },
  }
  await expect(sendResetLinks({ ...site.context, clock: failing })).rejects.toThrow('killed here')
  expect(await db.selectFrom('password_reset_requests').select('email').execute()).toEqual([{ email }])
  await sendResetLinks({ ...site.context, clock })
  expect((await site.mails(email)).at(-1)?.subject).toBe('Reset your password')
})
