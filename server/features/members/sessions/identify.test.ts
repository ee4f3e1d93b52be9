import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { changeUser, getUser } from '#contract/members.ts'
import { registerMember } from '#server/testing/builders/register-member.ts'
import { setConsent } from '#server/testing/site/tracked-visitor.ts'
import { startTestSite, type TestSite } from '#server/testing/site/test-site.ts'
import type { Visitor } from '#server/testing/site/visitor.ts'
import { recordQueries } from '#server/testing/database/record-queries.ts'
import { identify } from '#server/features/members/members.ts'

let site: TestSite
beforeAll(async () => {
  site = await startTestSite()
})
afterAll(() => site.close())

const cookiesOf = ({ cookie }: Visitor) =>
  Object.fromEntries(
    cookie.split('; ').map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]),
  )

async function count(visitor: Visitor, header?: string) {
  const recordedQueries = recordQueries('users', 'sessions')
  const before = recordedQueries().length
  const tokens =
    header === undefined
      ? { cookies: cookiesOf(visitor), headers: {} }
      : { cookies: {}, headers: { 'x-user-token': header } }
  const viewer = await identify(site.context, tokens)
  return { viewer, queryCount: recordedQueries().length - before }
}

test('a guest without a row is identified without a query', async () => {
  const visitor = site.visitor()
  const { id } = await visitor.callOk(getUser)
  expect(await count(visitor)).toEqual({
    viewer: { userId: id, role: 'visitor', isStored: false },
    queryCount: 0,
  })
})

test('a guest with a row is identified by one query, both by header and by cookie', async () => {
  const visitor = site.visitor()
  const { headers } = await visitor.call(getUser)
  const { id } = await visitor.callOk(changeUser, { body: { display_name: 'Ada' } })
  const known = { viewer: { userId: id, role: 'visitor', isStored: true }, queryCount: 1 }
  expect(await count(visitor)).toEqual(known)
  expect(await count(visitor, headers.get('x-user-token') ?? '')).toEqual(known)
})

test('a member is identified by one query, both by header and by cookie', async () => {
  const { visitor, user } = await registerMember(site)
  const { headers } = await visitor.call(getUser)
  const known = {
    viewer: { userId: user.id, role: 'member', isStored: true, sessionId: expect.stringMatching(/^ses_/) },
    queryCount: 1,
  }
  expect(await count(visitor)).toEqual(known)
  expect(await count(visitor, headers.get('x-user-token') ?? '')).toEqual(known)
})

test('a guest’s first token is invalid after the guest has registered', async () => {
  const strict = await startTestSite({}, { RATE_LIMIT_API_PER_USER: '20/h' })
  onTestFinished(() => strict.close())
  const visitor = strict.visitor()
  const { id } = await visitor.callOk(getUser)
  const first = visitor.cookie
  await registerMember(strict, visitor)
  await setConsent(strict, id, true)
  const stale = strict.visitor({ cookie: first })
  for (let calls = 0; calls < 15; calls++) await stale.fetch('/api/statics.png?event=stale')
  const { headers, answer } = await strict.visitor({ cookie: first }).call(getUser)
  expect(answer.info?.id).toEqual(expect.any(String))
  expect(answer.info?.id).not.toBe(id)
  expect(headers.get('set-cookie')).toContain('guest=')
  for (let calls = 0; calls < 5; calls++)
    expect((await visitor.call(getUser)).answer.info).toMatchObject({ id, role: 'member' })
  await strict.context.events.stop()
  const events = await strict.context.db.selectFrom('events').select('user_id').execute()
  expect(events.filter(({ user_id }) => user_id !== null)).toEqual([])
})
