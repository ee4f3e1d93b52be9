import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import {
  addOperator,
  changeOperator,
  getStudioSession,
  listAuditEvents,
  listOperators,
  removeOperator,
  resetOperator,
  type Operator,
} from '#contract/studio/operators.ts'
import { runStudioCommand } from '#server/cli/studio-command.ts'
import { signInOperator, type TestOperator } from '#server/testing/builders/operator.ts'
import { startTestSite, type TestSite } from '#server/testing/site/test-site.ts'

let site: TestSite
let owner: TestOperator

beforeAll(async () => {
  site = await startTestSite()
  owner = await signInOperator(site, 'owner')
})
afterAll(() => site.close())

describe('an owner', () => {
  it('adds an operator, who gets one account and a link that is valid for a day', async () => {
    const body = { email: 'Eva@example.com', role: 'editor' } as const
    const { operator, link, expires_at } = await owner.studio.callOk(addOperator, { body })
    expect(operator).toMatchObject({ email: 'Eva@example.com', role: 'editor', active_since: null })
    expect(link).toMatch(/^http:\/\/localhost:3000\/studio\/welcome#invitation=[\w-]{43}$/)
    expect(Date.parse(expires_at) - Date.now()).toBeLessThanOrEqual(24 * 3_600_000)
    const again = await owner.studio.call(addOperator, { body: { email: 'eva@EXAMPLE.com' } })
    expect(again.answer).toMatchObject({
      code: 500,
      info: { field: 'email' },
      message: expect.stringContaining('already on the team'),
    })
  })

  it('changes a role at once, and the audit log has the previous role', async () => {
    const editor = await signInOperator(site, 'editor')
    expect((await editor.studio.call(listAuditEvents)).answer.code).toBe(403)
    await owner.studio.callOk(changeOperator, { body: { email: editor.email, role: 'support' } })
    expect((await editor.studio.call(listAuditEvents)).answer.code).toBe(200)
    const [auditEvent] = (await owner.studio.callOk(listAuditEvents)).list
    expect(auditEvent).toMatchObject({
      event: 'studio operator set-role',
      operator: owner.email,
      details: {
        before: { email: editor.email, role: 'editor' },
        after: { email: editor.email, role: 'support' },
      },
    })
    const { list } = await owner.studio.callOk(listAuditEvents, {
      query: { subject: auditEvent?.subject ?? '' },
    })
    expect(list.map(({ event }) => event)).toEqual(['studio operator set-role', 'studio operator add'])
  })

  it('resets the access of an operator, who is then signed out and no longer active', async () => {
    const editor = await signInOperator(site, 'editor')
    await owner.studio.callOk(resetOperator, { body: { email: editor.email } })
    expect((await editor.studio.call(getStudioSession)).answer.code).toBe(401)
    const { list } = await owner.studio.callOk(listOperators)
    expect(list.find(({ email }) => email === editor.email)?.active_since).toBeNull()
  })

  it('who resets another owner’s access is named in a mail to that owner and in the audit log', async () => {
    const other = await signInOperator(site, 'owner')
    const { operator } = await owner.studio.callOk(resetOperator, { body: { email: other.email } })
    const [mail] = await site.mails(other.email)
    expect(mail?.text).toContain(`${owner.email} has reset your password`)
    // The mail has no link, because access to the mailbox must not give access to the studio.
    expect(mail?.text).not.toContain('invitation=')
    const { list } = await owner.studio.callOk(listAuditEvents, { query: { subject: operator.id } })
    expect(list[0]).toMatchObject({ event: 'studio operator reset-access', operator: owner.email })
    // This operator has not opened the first link. There is no access that the reset could end, so no mail is sent.
    await owner.studio.callOk(addOperator, { body: { email: 'fresh@example.com' } })
    await owner.studio.callOk(resetOperator, { body: { email: 'fresh@example.com' } })
    expect(await site.mails('fresh@example.com')).toEqual([])
    await owner.studio.callOk(removeOperator, { body: { email: 'fresh@example.com' } })
    await owner.studio.callOk(removeOperator, { body: { email: other.email } })
  })

  it('removes an operator, whose audit events remain', async () => {
    const other = await signInOperator(site, 'owner')
    await other.studio.callOk(addOperator, { body: { email: 'kept@example.com' } })
    await owner.studio.callOk(removeOperator, { body: { email: other.email } })
    expect((await other.studio.call(getStudioSession)).answer.code).toBe(401)
    const { list } = await owner.studio.callOk(listAuditEvents)
    expect(list.some(({ operator }) => operator === other.email)).toBe(true)
  })

  it('cannot leave the site without an owner, even by concurrent requests', async () => {
    const other = await signInOperator(site, 'owner')
    const answers = await Promise.all([
      owner.studio.call(changeOperator, { body: { email: other.email, role: 'analyst' } }),
      other.studio.call(changeOperator, { body: { email: owner.email, role: 'analyst' } }),
    ])
    const codes = answers.map(({ answer }) => answer.code).toSorted()
    // The later request is refused because its sender is not an owner any more, or because its target is the last
    // owner.
    expect([
      [200, 403],
      [200, 409],
    ]).toContainEqual(codes)
    // Lists the operators on the command line, because the studio shows all of them only to an owner.
    const { list } = JSON.parse(await runStudioCommand(site.context, ['operator', 'list', '--json'])) as {
      list: Operator[]
    }
    const activeOwners = list.filter(({ role, active_since }) => role === 'owner' && active_since)
    expect(activeOwners).toHaveLength(1)
    // Restores the owner's role for the next tests.
    await runStudioCommand(site.context, ['operator', 'set-role', owner.email, 'owner'])
  })

  it('who is the last one cannot be demoted or removed, even after a reset, until there is another owner', async () => {
    const other = await startTestSite()
    onTestFinished(() => other.close())
    const run = (...args: string[]) => runStudioCommand(other.context, ['operator', ...args])
    const { email } = await signInOperator(other, 'owner')
    await run('add', 'editor@example.com', '--role', 'editor')
    await run('reset-access', email)
    for (const args of [
      ['set-role', email, 'editor'],
      ['remove', email],
    ])
      await expect(run(...args)).rejects.toThrow('at least one owner')
    // Operators of other roles can be changed and removed.
    await run('set-role', 'editor@example.com', 'analyst')
    await run('remove', 'editor@example.com')
    await run('add', 'successor@example.com')
    await run('remove', email)
    await expect(run('remove', 'successor@example.com')).rejects.toThrow('at least one owner')
  })
})

it('an operator who is not an owner sees no other operators', async () => {
  const editor = await signInOperator(site, 'editor')
  const { list } = await editor.studio.callOk(listOperators)
  expect(list.map(({ email }) => email)).toEqual([editor.email])
})

describe('the command line', () => {
  const run = (...args: string[]) => runStudioCommand(site.context, args)

  it('runs the commands of the studio’s pages, and the audit log names no operator for them', async () => {
    expect(await run('operator', 'add', 'cli@example.com', '--role', 'analyst')).toMatch(
      /link: http.*invitation=/,
    )
    expect(await run('operator', 'list')).toMatch(/cli@example\.com +analyst/)
    const [auditEvent] = (await owner.studio.callOk(listAuditEvents)).list
    expect(auditEvent).toMatchObject({
      event: 'studio operator add',
      operator: null,
      details: { after: { role: 'analyst' } },
    })
  })

  it('lists its commands if it gets none', async () => {
    expect(await run()).toMatch(/operator +list, add, set-role, reset-access, remove/)
    expect(await run('operator')).toMatch(/add \[options\] <email> +Adds an operator/)
  })

  it.each([
    [['operator', 'ad', 'a@example.com'], /Did you mean add/],
    [['operator', 'add'], /missing required argument 'email'/],
    [['operator', 'add', 'a@example.com', 'b'], /too many arguments/],
    [['operator', 'add', 'a@example.com', '--role', 'boss'], /owner, editor, support, analyst/],
    [['operator', 'add', 'a@example.com', '--colour', 'red'], /colour/],
    [['operator', 'add', 'nonsense'], /e-mail/i],
    [['operator', 'remove', 'nobody@example.com'], /Not found/],
  ])('reports the mistake in %j', async (args, message) => {
    await expect(run(...args)).rejects.toThrow(message)
  })
})
