import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { getHomepage } from '#contract/catalog.ts'
import { getHealth, getReady } from '#contract/health.ts'
import { sendMessage } from '#contract/pages.ts'
import { getReports } from '#contract/tracking.ts'
import { getUser } from '#contract/members.ts'
import { listAuditEvents } from '#contract/studio/operators.ts'
import {
  changeSetting,
  rateLimitBounds,
  rateLimitNames,
  setMaintenance,
  showSettings,
  type RateLimitName,
  type SettingName,
  type Settings,
} from '#contract/studio/settings.ts'
import { runStudioCommand } from '#server/cli/studio-command.ts'
import { readRateLimits } from '#server/platform/config/config.ts'
import { formatRateLimit } from '#server/platform/config/read-env.ts'
import { signInOperator, type TestOperator } from '#server/testing/builders/operator.ts'
import { startTestSite, type TestSite } from '#server/testing/site/test-site.ts'

let site: TestSite
let owner: TestOperator

beforeAll(async () => {
  site = await startTestSite(
    {},
    { MAIL_FROM: 'Old <old@drama.example>', RATE_LIMIT_REGISTER_PER_IP: '90/h', META_ACCESS_TOKEN: 'hush' },
  )
  owner = await signInOperator(site, 'owner')
})
afterAll(() => site.close())

const change = (name: SettingName, value: string | null) =>
  owner.studio.callOk(changeSetting, { body: { name, value } })
const settingOf = ({ settings }: Settings, name: SettingName) =>
  settings.find((setting) => setting.name === name)

describe('a setting', () => {
  it('has the environment’s value until an operator sets it, and after a reset', async () => {
    expect(settingOf(await owner.studio.callOk(showSettings), 'mail_from')).toEqual({
      name: 'mail_from',
      value: 'Old <old@drama.example>',
      custom: false,
    })
    const set = await change('mail_from', ' New <new@drama.example> ')
    expect(settingOf(set, 'mail_from')).toEqual({
      name: 'mail_from',
      value: 'New <new@drama.example>',
      custom: true,
    })
    const [auditEvent] = (await owner.studio.callOk(listAuditEvents)).list
    expect(auditEvent).toMatchObject({
      event: 'studio settings change',
      subject: 'setting mail_from',
      details: { before: { value: 'Old <old@drama.example>' }, after: { value: 'New <new@drama.example>' } },
    })
    expect(settingOf(await change('mail_from', null), 'mail_from')).toMatchObject({ custom: false })
  })

  it('for mails applies without a restart', async () => {
    await change('contact_email', 'desk@drama.example')
    await change('mail_from', 'New <new@drama.example>')
    const write = async () => {
      const visitor = site.visitor()
      await visitor.callOk(getUser)
      const body = { name: 'Ann', email: 'ann@example.com', message: 'Hello' }
      await visitor.callOk(sendMessage, { body })
      return (await site.mails('desk@drama.example')).at(-1)
    }
    await expect.poll(write, { interval: 300 }).toBeDefined()
    await expect.poll(async () => (await write())?.from).toContain('new@drama.example')
    await change('contact_email', null)
    await change('mail_from', null)
  })

  it('for a pixel is sent to browsers', async () => {
    await change('tiktok_pixel', 'ABC-123')
    const reports = async () => (await site.visitor().callOk(getReports)).list
    await expect.poll(reports).toContainEqual({ config_key: 'tiktok_pixel', config_value: 'ABC-123' })
    await change('tiktok_pixel', null)
    await expect.poll(reports).toContainEqual({ config_key: 'tiktok_pixel', config_value: '' })
  })

  it('for a limit applies without a restart', async () => {
    expect(settingOf(await owner.studio.callOk(showSettings), 'registerIp')?.value).toBe('90/h')
    await change('registerIp', '7/min')
    await expect.poll(() => site.context.limits.registerIp).toEqual({ max: 7, seconds: 60 })
    await change('registerIp', null)
    await expect.poll(() => site.context.limits.registerIp).toEqual({ max: 90, seconds: 3600 })
  })

  it.each<[SettingName, string]>([
    ['contact_email', 'nobody'],
    ['mail_from', 'a <b@c> d'],
    ['mail_from', ''],
    ['facebook_pixel_id', '"><script>'],
    ['apiUser', 'lots'],
    ['apiUser', '0/min'],
  ])('%s cannot be %j', async (name, value) => {
    const { answer } = await owner.studio.call(changeSetting, { body: { name, value } })
    expect(answer).toMatchObject({ code: 500, info: { field: 'value' } })
  })

  it.each<[SettingName, string]>([
    // With ten calls a minute, no page of the studio loads, not even the page that resets the limit.
    ['apiUser', '10/min'],
    ['apiUser', '1/s'],
    ['apiIp', '599/min'],
    ['apiIp', '999999/s'],
    ['signInIp', '1/h'],
    ['signInAccount', '4/min'],
    ['signInAccount', '100/s'],
    ['cardFailuresUser', '1/h'],
    ['mailLinksAccount', '999/h'],
  ])('%s cannot be %j, and the refusal has the allowed range', async (name, value) => {
    const { answer } = await owner.studio.call(changeSetting, { body: { name, value } })
    const { min, max } = rateLimitBounds[name as RateLimitName]
    expect(answer).toMatchObject({ code: 500, info: { field: 'value', min, max } })
    expect(answer.message).toContain(`from ${min} to ${max}`)
  })

  it.each(rateLimitNames)('%s can be the minimum, the maximum and the default', async (name) => {
    const { min, max } = rateLimitBounds[name]
    for (const value of [min, max, formatRateLimit(readRateLimits({})[name])])
      expect(settingOf(await change(name, value), name)).toEqual({ name, value, custom: true })
    await change(name, null)
  })

  it('is not lost if another operator changes another setting concurrently', async () => {
    const other = await signInOperator(site, 'owner')
    const body = { name: 'apiUser', value: '5999/min' } as const
    await Promise.all([change('apiIp', '88888/min'), other.studio.callOk(changeSetting, { body })])
    const shown = await owner.studio.callOk(showSettings)
    expect([settingOf(shown, 'apiIp')?.value, settingOf(shown, 'apiUser')?.value]).toEqual([
      '88888/min',
      '5999/min',
    ])
  })

  it('can be set from the command line too', async () => {
    const args = ['settings', 'change', 'contact_email', 'cli@drama.example']
    expect(await runStudioCommand(site.context, args)).toContain('cli@drama.example')
    await runStudioCommand(site.context, ['settings', 'change', 'contact_email', 'null'])
  })
})

it('a secret is listed as set or not set, but never with its value', async () => {
  const { secrets } = await owner.studio.callOk(showSettings)
  expect(secrets).toContainEqual({ name: 'META_ACCESS_TOKEN', set: true })
  expect(secrets).toContainEqual({ name: 'STRIPE_SECRET_KEY', set: false })
  expect(JSON.stringify(await owner.studio.callOk(showSettings))).not.toContain('hush')
})

describe('while the site is closed for viewers', () => {
  /** Sends several requests, because different processes may respond. */
  const statuses = () => Promise.all([1, 2, 3, 4].map(async () => (await fetch(`${site.url}/`)).status))
  const allAre = async (status: number) => expect(new Set(await statuses())).toEqual(new Set([status]))
  beforeAll(async () => {
    await owner.studio.callOk(setMaintenance, { body: { on: true } })
    await vi.waitFor(() => allAre(503), 60_000)
  })
  afterEach(() => allAre(503))
  afterAll(async () => {
    await owner.studio.callOk(setMaintenance, { body: { on: false } })
    await vi.waitFor(() => allAre(200), 60_000)
  })

  it.each(['/', '/videos/vid_1', '/shopping', '/order/easy', '/nowhere'])(
    '%s shows a maintenance page in the viewer’s language, and states when to retry',
    async (path) => {
      const answer = await fetch(site.url + path, { headers: { 'accept-language': 'de' } })
      expect(answer.status).toBe(503)
      expect(answer.headers.get('retry-after')).toBe('120')
      expect(answer.headers.get('cache-control')).toBe('no-store')
      expect(await answer.text()).toMatch(/lang="de"[^]*Bald wieder da[^]*Cliffhanger/)
    },
  )

  it.each(['/api/user', '/api/homepage', '/api/statics.png?event=x'])('%s is unavailable', async (path) => {
    const answer = await fetch(site.url + path)
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '120'])
    expect(await answer.json()).toMatchObject({ code: 503, message: expect.any(String) })
  })

  it('an operator can use the whole site, but a browser with a forged cookie cannot', async () => {
    const statusesFor = (cookie: string) =>
      Promise.all(
        ['/?draft', '/api/tag?keyword=a', '/shopping'].map(
          async (path) => (await fetch(site.url + path, { headers: { cookie } })).status,
        ),
      )
    expect(await statusesFor(owner.studio.cookie)).toEqual([200, 200, 200])
    expect(await statusesFor('operator=made-up; __Host-operator=made-up')).toEqual([503, 503, 503])
  })

  it('the studio can be used, webhooks are received, and the health check succeeds', async () => {
    expect((await fetch(`${site.url}/studio`)).status).toBe(200)
    expect((await owner.studio.callOk(showSettings)).maintenance).toBe(true)
    const webhook = await fetch(`${site.url}/api/webhook/payment/sandbox`, { method: 'POST', body: '{}' })
    expect(webhook.status).toBe(400)
    const visitor = site.visitor()
    expect(await visitor.callOk(getHealth)).toEqual({ alive: true })
    expect(await visitor.callOk(getReady)).toEqual({ ready: true })
    expect((await fetch(`${site.url}/favicon.svg`)).status).toBe(200)
  })
})

it('viewers can use the site after it is reopened', async () => {
  expect(await site.visitor().callOk(getHomepage)).toBeDefined()
})
