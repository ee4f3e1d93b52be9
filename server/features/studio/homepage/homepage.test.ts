import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { getHomepage } from '#contract/catalog.ts'
import { listAuditEvents } from '#contract/studio/operators.ts'
import { previewHomepage, saveHomepage, showHomepage, type HomepageDraft } from '#contract/studio/homepage.ts'
import { buildCategory, buildVideo } from '#server/testing/builders/video-builders.ts'
import { signInOperator, type TestOperator } from '#server/testing/builders/operator.ts'
import { startTestSite, type TestSite } from '#server/testing/site/test-site.ts'

let site: TestSite
let editor: TestOperator
let [love, crime] = ['', '']
let films: string[] = []

beforeAll(async () => {
  site = await startTestSite()
  editor = await signInOperator(site, 'editor')
  const { db } = site.context
  love = await buildCategory(db, 'Love')
  crime = await buildCategory(db, 'Crime')
  const videos = [
    await buildVideo(site.context, { title: 'Salt', categoryId: love }),
    await buildVideo(site.context, { title: 'Tide', categoryId: crime }),
    await buildVideo(site.context, { title: 'Unseen', state: 'draft' }),
  ]
  films = videos.map(({ id }) => id)
})
afterAll(() => site.close())

const show = () => editor.studio.callOk(showHomepage)
const loadHomepage = async () => site.visitor({ 'accept-language': 'de' }).callOk(getHomepage)

/** Returns a draft that differs from the homepage in every part. */
async function otherDraft(): Promise<HomepageDraft> {
  const { draft } = await show()
  const [, newest] = draft.sections
  if (!newest) throw new Error('the seeded homepage has no second section')
  return {
    sections: [
      {
        id: null,
        kind: 'ranking',
        titles: { en: 'By hand', dy: 'Von Hand' },
        source: { type: 'videos', videos: [films[1] ?? '', films[2] ?? ''] },
      },
      { ...newest, kind: 'grid' },
    ],
    menu: [crime, love],
    copyright: '© Salt Ltd',
    pay_theme: { layout: 'card', accent: '#3366ff' },
  }
}

it('a preview shows a draft as viewers would see it, and viewers still get the saved homepage', async () => {
  const before = await loadHomepage()
  const info = await editor.studio.callOk(previewHomepage, { body: { draft: await otherDraft() } })
  expect(info.homepage.map(({ kind, items }) => [kind, items.map(({ title }) => title)])).toEqual([
    ['ranking', ['Tide']],
    ['grid', ['Tide', 'Salt']],
  ])
  expect(info).toMatchObject({
    menu: [{ name: 'Crime' }, { name: 'Love' }],
    copyright: { text: '© Salt Ltd' },
    pay_theme: { layout: 'card', accent: '#3366ff' },
  })
  expect(await loadHomepage()).toEqual(before)
})

it('the menu of a preview omits empty categories, and ends with the categories that the draft does not name', async () => {
  const { db } = site.context
  const empty = await buildCategory(db, 'Empty')
  const draft = { ...(await otherDraft()), menu: [empty, crime] }
  const { menu } = await editor.studio.callOk(previewHomepage, { body: { draft } })
  await db.deleteFrom('categories').where('id', '=', empty).execute()
  expect(menu.map(({ name }) => name)).toEqual(['Crime', 'Love'])
})

it('viewers get the saved homepage in their language, and existing sections keep their address', async () => {
  const { version, draft: before } = await show()
  const draft = await otherDraft()
  const saved = await editor.studio.callOk(saveHomepage, { body: { draft, version } })
  expect(saved.draft).toEqual({
    ...draft,
    sections: [{ ...draft.sections[0], id: expect.any(String) }, draft.sections[1]],
  })
  expect(saved.selected_videos.map(({ name }) => name).toSorted()).toEqual(['Tide', 'Unseen'])
  // Each process caches its response for up to a second.
  const { homepage, menu, copyright, pay_theme } = await vi.waitFor(async () => {
    const answer = await loadHomepage()
    expect(answer.homepage[0]?.title).toBe('Von Hand')
    return answer
  }, 60_000)
  expect(homepage[1]?.id).toBe(before.sections[1]?.id)
  expect(menu.map(({ name }) => name)).toEqual(['Crime', 'Love'])
  expect([copyright.text, pay_theme.layout]).toEqual(['© Salt Ltd', 'card'])
  const [auditEvent] =
    (await editor.studio.callOk(showHomepage)) &&
    (await (await signInOperator(site, 'owner')).studio.callOk(listAuditEvents)).list.filter(
      ({ event }) => event === 'studio homepage save',
    )
  expect(auditEvent).toMatchObject({ operator: editor.email, details: { before: { copyright: null } } })
})

it('the studio shows who published the homepage last, but only to operators who may publish it', async () => {
  const { version, draft } = await show()
  const owner = await signInOperator(site, 'owner')
  const body = { version, draft: { ...draft, copyright: 'three' } }
  const saved = await owner.studio.callOk(saveHomepage, { body })
  expect(saved.published).toEqual({ at: expect.any(String), operator: owner.email })
  const shown = (await show()).published
  expect(shown?.operator).toBe(owner.email)
  const analyst = await signInOperator(site, 'analyst')
  const { published } = await analyst.studio.callOk(showHomepage)
  expect(published).toEqual({ ...shown, operator: null })
})

it('the later of two concurrent saves of the same version is refused as a conflict', async () => {
  const { version, draft } = await show()
  const other = await signInOperator(site, 'owner')
  const body = (copyright: string) => ({ body: { version, draft: { ...draft, copyright } } })
  const answers = await Promise.all([
    editor.studio.call(saveHomepage, body('one')),
    other.studio.call(saveHomepage, body('two')),
  ])
  expect(answers.map(({ answer }) => answer.code).toSorted()).toEqual([200, 409])
})

it('a homepage with a section without an English title is refused', async () => {
  const { version, draft } = await show()
  const [first, ...rest] = draft.sections
  if (!first) throw new Error('the homepage has no sections')
  const sections = [...rest, { ...first, titles: { dy: 'Nur deutsch' } }]
  const { answer } = await editor.studio.call(saveHomepage, {
    body: { version, draft: { ...draft, sections } },
  })
  expect(answer).toMatchObject({ code: 500, info: { field: 'titles' } })
  expect((await show()).version).toBe(version)
})
