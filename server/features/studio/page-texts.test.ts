import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { getPage } from '#contract/pages.ts'
import { listAuditEvents } from '#contract/studio/operators.ts'
import {
  listPageTexts,
  maxPageTextLength,
  previewPageText,
  resetPageText,
  savePageText,
  showPageText,
} from '#contract/studio/page-texts.ts'
import { runStudioCommand } from '#server/cli/studio-command.ts'
import { signInOperator, type TestOperator } from '#server/testing/builders/operator.ts'
import { startTestSite, type TestSite } from '#server/testing/site/test-site.ts'

let site: TestSite
let editor: TestOperator
let offset = 0

beforeAll(async () => {
  // Responses to viewers are cached for a second, so each `read` moves the clock by more than a second.
  site = await startTestSite(
    { clock: { now: () => new Date(Date.now() + offset) } },
    { SITE_NAME: 'Salt', OPERATOR_NAME: 'Ada <b>' },
  )
  editor = await signInOperator(site, 'editor')
})
afterAll(() => site.close())

const which = { name: 'contentPolicy', language: 'en' } as const
const show = (language: 'en' | 'dy' = 'en') =>
  editor.studio.callOk(showPageText, { query: { ...which, language } })
const read = async (language = 'en') => {
  offset += 1001
  return site.visitor({ 'accept-language': language }).callOk(getPage, { query: { name: which.name } })
}
const write = async (markdown: string) =>
  editor.studio.call(savePageText, { body: { ...which, markdown, version: (await show()).version } })

beforeEach(async () => {
  const { version } = await show()
  await editor.studio.callOk(resetPageText, { body: { ...which, version } })
})

describe('a text', () => {
  it('is the built-in text until an operator saves another, and is the built-in text again after a reset', async () => {
    const [usual, before] = [await show(), await read()]
    expect(usual).toMatchObject({ custom: false, updated_at: before.updated_at })
    expect((await write('# Our rules\n\nBe kind to {{operator}}.')).answer.info).toMatchObject({
      custom: true,
    })
    expect(await read()).toMatchObject({
      title: 'Our rules',
      blocks: [{ kind: 'paragraph', lines: [[{ text: 'Be kind to Ada <b>.' }]] }],
    })
    const { version } = await show()
    expect(await editor.studio.callOk(resetPageText, { body: { ...which, version } })).toEqual(usual)
    expect(await read()).toEqual(before)
  })

  it('in one language does not affect the other languages', async () => {
    const german = await read('de')
    await write('# Our rules')
    expect(await read('de')).toEqual(german)
    const { list } = await editor.studio.callOk(listPageTexts)
    expect(list).toHaveLength(30)
    expect(list.filter(({ custom }) => custom)).toMatchObject([which])
  })

  it('is shown in the preview as viewers would get it', async () => {
    const markdown =
      '# Rules\n\n<script>alert(1)</script>\n\n- [good](/my) **very** [bad](javascript:alert(1)) [worse](//evil.example) ![x](https://x.example/y.png)\n\nAt {{address}} or {{nowhere}}.'
    const { title, blocks, unset } = await editor.studio.callOk(previewPageText, { body: { markdown } })
    await write(markdown)
    expect(await read()).toMatchObject({ title, blocks })
    expect(unset).toEqual(['address', 'nowhere'])
    expect(blocks).toEqual([
      { kind: 'paragraph', lines: [[{ text: '<script>alert(1)</script>' }]] },
      {
        kind: 'list',
        lines: [
          [
            { text: 'good', href: '/my' },
            { text: ' ' },
            { text: 'very', strong: true },
            { text: ' ' },
            { text: 'bad' },
            { text: ' ' },
            { text: 'worse' },
            { text: ' ' },
          ],
        ],
      },
    ])
  })

  it('may have the stated maximum length', async () => {
    expect((await write(`# A\n\n${'x'.repeat(maxPageTextLength - 5)}`)).answer.code).toBe(200)
  })

  it.each([
    ['nothing', ''],
    ['no title', 'Just words.\n\n## And a heading'],
    ['an empty title', '# {{address}}\n\nWords.'],
    ['too many characters', `# A\n\n${'x'.repeat(maxPageTextLength)}`],
    ['excessively nested quotations', `# A\n\n${'>'.repeat(30_000)}`],
  ])('with %s is refused, and nothing is changed', async (_what, markdown) => {
    const before = await show()
    expect((await write(markdown)).answer).toMatchObject({ code: 500, info: { field: 'markdown' } })
    expect(await show()).toEqual(before)
  })

  it('is the text of the first of two concurrent saves, and the second save is refused as a conflict', async () => {
    const other = await signInOperator(site, 'owner')
    const { version } = await show()
    const body = (markdown: string) => ({ body: { ...which, version, markdown } })
    const answers = await Promise.all([
      editor.studio.call(savePageText, body('# One')),
      other.studio.call(savePageText, body('# Two')),
    ])
    expect(answers.map(({ answer }) => answer.code).toSorted()).toEqual([200, 409])
    const first = answers.find(({ answer }) => answer.code === 200)?.answer.info
    expect(await show()).toEqual(first)
    expect((await other.studio.call(resetPageText, { body: { ...which, version } })).answer.code).toBe(409)
  })

  it('has its changed lines in the audit log, before and after the change', async () => {
    await write('# Rules\n\nOne.\n\nTwo.\n\nThree.')
    await write('# Rules\n\nOne.\n\n2.\n\nThree.')
    const { list } = await (await signInOperator(site, 'owner')).studio.callOk(listAuditEvents)
    expect(list.find(({ event }) => event === 'studio text save')).toMatchObject({
      operator: editor.email,
      subject: 'text contentPolicy en',
      details: {
        before: { custom: true, line: 5, markdown: 'Two.' },
        after: { custom: true, line: 5, markdown: '2.' },
      },
    })
  })
})

it('a preview is possible without a title, but refused for a text that cannot be parsed', async () => {
  const preview = (markdown: string) => editor.studio.call(previewPageText, { body: { markdown } })
  expect((await preview('Just words.')).answer.info).toMatchObject({ title: '', unset: [] })
  for (const markdown of ['x'.repeat(maxPageTextLength + 1), '>'.repeat(30_000)])
    expect((await preview(markdown)).answer.code).toBe(500)
})

it('the command line saves a text too', async () => {
  const run = (...args: string[]) => runStudioCommand(site.context, ['text', ...args])
  const shown = await run('show', 'refundPolicy', 'fy', '--json')
  const { version } = JSON.parse(shown) as { version: string }
  const saved = await run('save', 'refundPolicy', 'fy', '--markdown', '# À nous', '--version', version)
  expect(saved).toContain('custom: true')
  await expect(
    run('save', 'refundPolicy', 'fy', '--markdown', '# À nous', '--version', version),
  ).rejects.toThrow('changed in the meantime')
})
