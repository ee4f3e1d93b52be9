import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import { bcp47Tags, languages } from '#contract/languages.ts'
import { getPage, pageNames, type Block } from '#contract/pages.ts'
import { startTestSite, type TestSite } from '#server/testing/site/test-site.ts'

let site: TestSite
beforeAll(async () => {
  site = await startTestSite(
    {},
    { SITE_NAME: 'Dramarama', OPERATOR_NAME: 'Ada <Lovelace>', CONTACT_EMAIL: 'ada@drama.example' },
  )
})
afterAll(() => site.close())

const read = (name: string, language = 'en') =>
  site.visitor({ 'accept-language': language }).call(getPage, { query: { name } })
const wordsOf = (blocks: Block[] = []) =>
  blocks.flatMap(({ lines }) => lines.map((line) => line.map(({ text }) => text).join(''))).join('\n')

describe.each(languages)('the texts in %s', (language) => {
  it.each(pageNames)(
    '%s has a title, no unfilled placeholder, and the same structure as in English',
    async (name) => {
      const { answer } = await read(name, bcp47Tags[language])
      const { title, blocks, updated_at } = answer.info ?? {}
      expect(title?.length).toBeGreaterThan(2)
      expect(updated_at).toMatch(/^20\d\d-\d\d-\d\dT/)
      const words = wordsOf(blocks)
      expect(words.split(/\s+/).length).toBeGreaterThan(290)
      expect(words).not.toMatch(/\{\{|\}\}|\*\*/)
      const english = (await read(name)).answer.info
      expect(blocks?.map(({ kind }) => kind)).toEqual(english?.blocks.map(({ kind }) => kind))
      if (language !== 'en') expect(words).not.toBe(wordsOf(english?.blocks))
    },
  )

  it('link to the same pages as the English texts', async () => {
    const linksOf = (blocks: Block[] = []) =>
      blocks.flatMap(({ lines }) => lines.flat().flatMap(({ href }) => href ?? [])).toSorted()
    for (const name of pageNames)
      expect(linksOf((await read(name, bcp47Tags[language])).answer.info?.blocks), name).toEqual(
        linksOf((await read(name)).answer.info?.blocks),
      )
  })
})

test('the imprint names the operator, and omits values that are not set', async () => {
  const { answer } = await read('contactUs')
  const words = wordsOf(answer.info?.blocks)
  expect(words).toContain('Operator: Ada <Lovelace>')
  expect(words).toContain('E-mail: ada@drama.example')
  expect(words).toContain('Dramarama, http://localhost:3000')
  expect(words).not.toContain('Address:')
})

test.each(['unknown', 'toString', 'serviceagreement', '../package', 'a'.repeat(64)])(
  'the unknown text %s returns 404',
  async (name) => {
    const { status, answer } = await read(name)
    expect([status, answer.code]).toEqual([200, 404])
  },
)
