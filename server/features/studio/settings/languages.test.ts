import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { bcp47Tags, type Language } from '#contract/languages.ts'
import { changeUser, getUser } from '#contract/members.ts'
import { getPage } from '#contract/pages.ts'
import { listAuditEvents } from '#contract/studio/operators.ts'
import { setOfferedLanguages, setMaintenance, showSettings } from '#contract/studio/settings.ts'
import { runStudioCommand } from '#server/cli/studio-command.ts'
import { createMember } from '#server/testing/builders/member.ts'
import { signInOperator, type TestOperator } from '#server/testing/builders/operator.ts'
import { startTestSite, type TestSite } from '#server/testing/site/test-site.ts'
import type { Visitor } from '#server/testing/site/visitor.ts'

let site: TestSite
let owner: TestOperator
let portuguese: Visitor

beforeAll(async () => {
  site = await startTestSite()
  owner = await signInOperator(site, 'owner')
  portuguese = (await createMember(site)).visitor
  await portuguese.callOk(changeUser, { body: { language: 'pt' } })
})
afterAll(() => site.close())

const offer = async (...languages: Language[]) => {
  await owner.studio.callOk(setOfferedLanguages, { body: { languages } })
  // Waits until every process has the same languages.
  await vi.waitFor(async () => {
    expect(site.context.languages()).toEqual(languages)
    const documents = await Promise.all([1, 2, 3, 4].map(() => open('/')))
    expect(new Set(documents.map((text) => alternates(text).join(' '))).size).toBe(1)
  }, 60_000)
}
const open = async (path: string, headers = {}, visitor = site.visitor()) =>
  (await visitor.fetch(path, { headers })).text()
const alternates = (text: string) => [...text.matchAll(/hreflang="([\w-]+)"/g)].map(([, lang]) => lang)
const titleOf = async (headers: Record<string, string>, visitor?: Visitor) =>
  (await (visitor ?? site.visitor()).call(getPage, { query: { name: 'contactUs' }, headers })).answer.info
    ?.title

describe('a site that offers German and Spanish', () => {
  beforeAll(() => offer('dy', 'es'))

  it('serves a document in the first requested language that it offers, otherwise in the default language', async () => {
    const langOf = async (path: string, accept?: string) =>
      /<html lang="(\w+)"/.exec(await open(path, accept ? { 'accept-language': accept } : {}))?.[1]
    expect(await langOf('/', 'fr, en;q=0.9, es;q=0.8')).toBe('es')
    expect(await langOf('/', 'fr, en')).toBe('de')
    expect(await langOf('/')).toBe('de')
    expect(await langOf('/?lang=es', 'de')).toBe('es')
    expect(await langOf('/?lang=fr', 'es')).toBe('es')
    expect(await langOf('/nowhere?lang=en')).toBe('de')
  })

  it('serves responses, refusals and the manifest only in these languages', async () => {
    expect(await titleOf({ 'accept-language': 'fr, es' })).toBe('Contacto')
    expect(await titleOf({ 'accept-language': 'en' })).toBe('Kontakt')
    const message = async (accept: string) =>
      (
        await site
          .visitor()
          .call(getPage, { query: { name: 'none' }, headers: { 'accept-language': accept } })
      ).answer.message
    expect(await message('en')).toBe(await message('de'))
    expect(await message('en')).not.toBe(await message('es'))
    const manifest = await open('/manifest.webmanifest', { 'accept-language': 'pt' })
    expect(manifest).toContain('"lang":"de"')
  })

  it('uses the default language for a viewer with another stored language, and refuses to store other languages', async () => {
    expect(await titleOf({}, portuguese)).toBe('Kontakt')
    expect(await open('/my', {}, portuguese)).toContain('<html lang="de"')
    const change = (language: string) => portuguese.call(changeUser, { body: { language } })
    expect((await change('fy')).answer).toMatchObject({ code: 500, info: { field: 'language' } })
    expect((await portuguese.callOk(getUser)).language).toBe('pt')
    expect((await change('es')).answer.code).toBe(200)
    expect(await titleOf({}, portuguese)).toBe('Contacto')
    await offer('dy', 'es', 'pt')
    await portuguese.callOk(changeUser, { body: { language: 'pt' } })
    await offer('dy', 'es')
  })

  it('lists only these languages for search engines', async () => {
    const expected = ['de', 'es', 'x-default']
    expect(alternates(await open('/shopping'))).toEqual(expected)
    const address = /<url>[^]*?<\/url>/.exec(await open('/sitemaps/pages.xml'))?.[0] ?? ''
    expect(alternates(address)).toEqual(expected)
  })

  it('states these languages in viewers’ pages, but all languages in the studio', async () => {
    expect(await open('/')).toContain('"languages":["dy","es"]')
    expect(await open('/studio')).not.toContain('"languages"')
    expect(await open('/studio?lang=fr')).toContain('<html lang="fr"')
  })

  it('sends responses to operators in the operator’s language, even if the site does not offer it', async () => {
    const refused = async (accept: string) => {
      const body = { languages: [] }
      const headers = { 'accept-language': accept }
      return (await owner.studio.call(setOfferedLanguages, { body, headers })).answer.message
    }
    expect(await refused('en')).toBe(site.context.translate('en', 'refusals.settingInvalid'))
    expect(await refused('dy')).toBe(site.context.translate('dy', 'refusals.settingInvalid'))
  })

  it('sends mails only in these languages', async () => {
    const { lang } = site.context.composeMail('refunded', 'pt', {
      link: 'https://drama.example/my',
      amount: '$1',
      order: 'ord_7f3a29c011b4d02f5ac1f00d5eedbabe',
    }) as {
      lang?: string
    }
    expect(lang).toBe('de')
  })

  it('shows the maintenance page only in these languages', async () => {
    await owner.studio.callOk(setMaintenance, { body: { on: true } })
    await expect.poll(() => open('/', { 'accept-language': 'en' })).toContain('Bald wieder da')
    await owner.studio.callOk(setMaintenance, { body: { on: false } })
    await expect.poll(() => open('/')).not.toContain('Bald wieder da')
  })
})

it.each([[[]], [['en', 'en']]] as Language[][][])('the languages %j are refused', async (languages) => {
  const before = await owner.studio.callOk(showSettings)
  const { answer } = await owner.studio.call(setOfferedLanguages, { body: { languages } })
  expect(answer).toMatchObject({ code: 500, info: { field: 'languages' } })
  expect(await owner.studio.callOk(showSettings)).toEqual(before)
})

it('the command line can set a single language, with an audit entry', async () => {
  await offer('dy', 'es')
  const shown = await runStudioCommand(site.context, ['languages', 'set', '--languages', 'fy'])
  expect(shown).toContain('languages: ["fy"]')
  await expect.poll(() => site.context.languages()).toEqual(['fy'])
  expect(alternates(await open('/shopping', { 'accept-language': 'de' }))).toEqual([
    bcp47Tags.fy,
    'x-default',
  ])
  const [auditEvent] = (await owner.studio.callOk(listAuditEvents)).list
  expect(auditEvent).toMatchObject({
    subject: 'setting languages',
    details: { before: ['dy', 'es'], after: ['fy'] },
  })
})

it('the languages have no stored setting after all of them are offered again in their usual order', async () => {
  await offer('en', 'es', 'fy', 'dy', 'pt')
  expect(await open('/')).not.toContain('"languages"')
  expect(await titleOf({}, portuguese)).toBe('Fale conosco')
})
