import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { viewerEndpoints, studioEndpoints } from '#contract/all-endpoints.ts'
import { isCommand, type CommandEndpoint } from '#contract/studio/command.ts'
import { roles, type Role } from '#contract/studio/roles.ts'
import { createMember } from '#server/testing/builders/member.ts'
import { signInOperator } from '#server/testing/builders/operator.ts'
import { validFields } from '#server/testing/valid-fields.ts'
import { startTestSite, type TestSite } from '#server/testing/site/test-site.ts'
import type { Visitor } from '#server/testing/site/visitor.ts'
import { studioCommands } from '#server/features/studio/studio.ts'

/**
 * The permissions of each command. They are duplicated here on purpose: if a command is opened to another role, a test
 * fails.
 */
const allowed: Record<string, readonly Role[]> = {
  'operator add': ['owner'],
  'operator list': ['owner', 'editor', 'support', 'analyst'],
  'operator set-role': ['owner'],
  'operator reset-access': ['owner'],
  'operator remove': ['owner'],
  'upload start': ['owner', 'editor'],
  'upload list-completed': ['owner', 'editor'],
  'upload list': ['owner', 'editor'],
  'upload remove': ['owner', 'editor'],
  'audit list': ['owner', 'support'],
  'order list': ['owner', 'support', 'analyst'],
  'order show': ['owner', 'support', 'analyst'],
  'order refund': ['owner', 'support'],
  'order sync': ['owner', 'support'],
  'order export': ['owner', 'support', 'analyst'],
  'dispute list': ['owner', 'support', 'analyst'],
  'reconciliation show': ['owner', 'support', 'analyst'],
  'reconciliation run': ['owner', 'support'],
  'customer find': ['owner', 'support'],
  'customer show': ['owner', 'support'],
  'customer history': ['owner', 'support'],
  'customer sign-out': ['owner', 'support'],
  'customer delete': ['owner', 'support'],
  'entitlement grant': ['owner', 'support'],
  'entitlement revoke': ['owner', 'support'],
  'plan list': ['owner', 'support', 'analyst'],
  'plan add': ['owner'],
  'plan change': ['owner'],
  'plan archive': ['owner'],
  'top-up list': ['owner', 'support', 'analyst'],
  'top-up add': ['owner'],
  'top-up change': ['owner'],
  'top-up archive': ['owner'],
  'balance show': ['owner', 'analyst'],
  'plan subscribers': ['owner', 'support', 'analyst'],
  'video list': ['owner', 'editor', 'support', 'analyst'],
  'video show': ['owner', 'editor', 'support', 'analyst'],
  'label list': ['owner', 'editor', 'support', 'analyst'],
  'tag list': ['owner', 'editor', 'analyst'],
  'tag change': ['owner', 'editor'],
  'tag merge': ['owner', 'editor'],
  'tag delete': ['owner', 'editor'],
  'category list': ['owner', 'editor', 'analyst'],
  'category change': ['owner', 'editor'],
  'category reorder': ['owner', 'editor'],
  'category merge': ['owner', 'editor'],
  'category delete': ['owner', 'editor'],
  'episode list': ['owner', 'editor', 'support', 'analyst'],
  'video parse-description': ['owner', 'editor'],
  'video remove-cover': ['owner', 'editor'],
  'video add': ['owner', 'editor'],
  'video edit': ['owner', 'editor'],
  'video publish': ['owner', 'editor'],
  'video schedule': ['owner', 'editor'],
  'video unschedule': ['owner', 'editor'],
  'video archive': ['owner', 'editor'],
  'episode playback': ['owner', 'editor', 'support', 'analyst'],
  'episode reorder': ['owner', 'editor'],
  'episode edit': ['owner', 'editor'],
  'episode set-titles': ['owner', 'editor'],
  'episode retry': ['owner', 'editor'],
  'episode remove': ['owner', 'editor'],
  'health show': ['owner', 'editor', 'support', 'analyst'],
  'health check': ['owner', 'editor', 'support'],
  'job list': ['owner', 'editor', 'support', 'analyst'],
  'job run': ['owner', 'editor', 'support'],
  'upload list-failed': ['owner', 'editor', 'support', 'analyst'],
  'mail list-abandoned': ['owner', 'support'],
  'mail retry': ['owner', 'support'],
  'homepage show': ['owner', 'editor', 'support', 'analyst'],
  'homepage preview': ['owner', 'editor'],
  'homepage save': ['owner', 'editor'],
  'text list': ['owner', 'editor', 'support', 'analyst'],
  'text show': ['owner', 'editor', 'support', 'analyst'],
  'text preview': ['owner', 'editor'],
  'text save': ['owner', 'editor'],
  'text restore': ['owner', 'editor'],
  'icon show': ['owner', 'editor', 'support', 'analyst'],
  'icon remove': ['owner', 'editor'],
  'settings show': ['owner', 'editor', 'support', 'analyst'],
  'settings change': ['owner'],
  'languages set': ['owner'],
  maintenance: ['owner'],
  'analytics days': ['owner', 'analyst'],
  'analytics funnel': ['owner', 'analyst'],
  'analytics dropoff': ['owner', 'analyst'],
  'experiment create': ['owner'],
  'experiment change': ['owner'],
  'experiment start': ['owner'],
  'experiment stop': ['owner'],
  'experiment list': ['owner', 'analyst'],
  'experiment show': ['owner', 'analyst'],
  'link create': ['owner', 'editor'],
  'link list': ['owner', 'editor', 'analyst'],
  'setup show': ['owner', 'editor'],
}

const commands = studioEndpoints.filter(isCommand)
let site: TestSite
const clients: Partial<Record<Role, Visitor>> = {}
/** One member for all commands, because the number of registrations from an address is limited. */
let member: Visitor

beforeAll(async () => {
  site = await startTestSite()
  for (const role of roles) clients[role] = (await signInOperator(site, role)).studio
  member = (await createMember(site)).visitor
})
afterAll(() => site.close())

function callCommand(visitor: Visitor, command: CommandEndpoint) {
  const { query, body } = command
  return visitor.call<CommandEndpoint>(command, {
    ...(query ? { query: validFields(query) } : {}),
    ...(body ? { body: validFields(body) } : {}),
  })
}

it('every command of the contract is implemented and in the table', () => {
  const words = commands.map(({ command }) => command).toSorted()
  expect(studioCommands.map(({ endpoint }) => endpoint.command).toSorted()).toEqual(words)
  expect(Object.keys(allowed).toSorted()).toEqual(words)
  expect(new Set(words).size).toBe(words.length)
})

describe.each(commands.map((command) => ({ words: command.command, command })))(
  '$words',
  ({ words, command }) => {
    it.each(roles)('can be run by a role only if the table allows it: %s', async (role) => {
      const studio = clients[role]
      if (!studio) throw new Error(`there is no ${role}`)
      const { answer } = await callCommand(studio, command)
      expect(answer.code === 403).toBe(!allowed[words]?.includes(role))
      expect(answer.code).not.toBe(401)
    })

    it('cannot be run by visitors and members, whatever token they send', async () => {
      const bearer = site.visitor({ 'x-user-token': 'm.ses_1.nothing' })
      for (const visitor of [site.visitor(), member, bearer])
        expect((await callCommand(visitor, command)).answer.code).toBe(401)
    })
  },
)

it('a caller without access is refused before a large body is parsed', async () => {
  const large = commands.filter(({ maxBodyBytes }) => maxBodyBytes !== undefined)
  expect(large.length).toBeGreaterThan(0)
  const unreadable = { body: '{', headers: { 'content-type': 'application/json' } }
  const { owner } = clients
  if (!owner) throw new Error('there is no owner')
  const codeFor = async (visitor: Visitor, { method, path }: CommandEndpoint) => {
    const answer = await visitor.fetch(path, { method, ...unreadable })
    return ((await answer.json()) as { code: number }).code
  }
  for (const command of large) {
    expect(await codeFor(member, command)).toBe(401)
    expect(await codeFor(owner, command)).toBe(400)
  }
})

it('exactly the studio’s calls are below /api/studio', () => {
  expect(viewerEndpoints.filter(({ path }) => path.startsWith('/api/studio'))).toEqual([])
  expect(studioEndpoints.filter(({ path }) => !path.startsWith('/api/studio/'))).toEqual([])
})
