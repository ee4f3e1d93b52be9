import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { changeSecondFactor, signIn } from '#contract/members.ts'
import {
  beginInvitation,
  closeStudioSession,
  getStudioSession,
  listOperators,
  openStudioSession,
} from '#contract/studio/operators.ts'
import { advanceClock } from '#server/features/billing/gateways/sandbox/sandbox-clock.ts'
import { dayMs } from '#server/platform/clock.ts'
import { createMember } from '#server/testing/builders/member.ts'
import {
  totpCodeAt,
  inviteOperator,
  signInOperator,
  type TestOperator,
} from '#server/testing/builders/operator.ts'
import { createTestDatabase } from '#server/testing/database/test-database.ts'
import { startTestSite, type TestSite } from '#server/testing/site/test-site.ts'
import { studioJobs } from './studio.ts'

const stepMs = 30_000
let site: TestSite
/** An operator who signed in before the clock was moved. */
let owner: TestOperator
let invitation = ''

/** Returns the code of the next half minute. It is already valid, and no earlier sign-in has used it. */
const nextCode = (secret: string) => totpCodeAt(secret, new Date(Date.now() + stepMs))

beforeAll(async () => {
  site = await startTestSite({ database: await createTestDatabase() })
  owner = await signInOperator(site, 'owner')
  invitation = await inviteOperator(site, 'eva@example.com', 'editor')
  await advanceClock(site.context.config, site.context.db, '8d')
  const clockOffset = () => site.context.clock.now().getTime() - Date.now()
  await vi.waitFor(() => expect(clockOffset()).toBeGreaterThan(stepMs), { timeout: 120_000 })
})
afterAll(() => site.close())

test('after the sandbox’s clock was moved, an authenticator’s code is checked by the real time, and accepted only once', async () => {
  const body = { email: owner.email, password: owner.password, totp: nextCode(owner.secret) }
  expect((await site.visitor().call(openStudioSession, { body })).answer.code).toBe(200)
  expect((await site.visitor().call(openStudioSession, { body })).answer.info).toEqual({ field: 'totp' })
  const ahead = totpCodeAt(owner.secret, site.context.clock.now())
  const response = await site.visitor().call(openStudioSession, { body: { ...body, totp: ahead } })
  expect(response.answer.code).not.toBe(200)
})

test('a code of a member’s authenticator is accepted after the sandbox’s clock was moved', async () => {
  const { visitor, email, password } = await createMember(site)
  const begin = { action: 'start', current_password: password } as const
  const secret = (await visitor.callOk(changeSecondFactor, { body: begin })).secret ?? ''
  const confirm = { action: 'confirm', code: totpCodeAt(secret, new Date()) } as const
  expect((await visitor.callOk(changeSecondFactor, { body: confirm })).enabled).toBe(true)
  const totp = nextCode(secret)
  expect((await site.visitor().call(signIn, { body: { email, password, totp } })).answer.code).toBe(200)
})

test('a move of the clock signs no operator out, and no invitation expires', async () => {
  const purgeJob = studioJobs(site.context).find(({ name }) => name === 'purge-operator-sessions')
  await purgeJob?.run(new AbortController().signal)
  expect((await owner.studio.callOk(getStudioSession)).operator.email).toBe(owner.email)
  const body = { secret: invitation }
  expect((await site.visitor().callOk(beginInvitation, { body })).email).toBe('eva@example.com')
  expect((await signInOperator(site, 'editor')).email).toContain('editor')
})

test('the time of an operator’s last visit remains after the session has ended', async () => {
  const other = await signInOperator(site, 'analyst')
  await other.studio.callOk(closeStudioSession, { body: {} })
  const again = await signInOperator(site, 'owner')
  const { list } = await again.studio.callOk(listOperators)
  const seen = list.find(({ email }) => email === other.email)?.last_seen_at
  expect(Math.abs(Date.parse(seen ?? '') - Date.now())).toBeLessThan(dayMs)
})
