import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { getHomepage, getVideo, queryHomepage } from '#contract/catalog.ts'
import { showHomepage, saveHomepage } from '#contract/studio/homepage.ts'
import {
  changeCategory,
  changeTag,
  deleteCategory,
  deleteTag,
  listStudioCategories,
  listStudioTags,
  mergeCategory,
  mergeTag,
  reorderCategories,
} from '#contract/studio/labels.ts'
import { listAuditEvents } from '#contract/studio/operators.ts'
import { editVideo, getStudioVideo } from '#contract/studio/videos.ts'
import { runStudioCommand } from '#server/cli/studio-command.ts'
import { buildCategory, buildVideo } from '#server/testing/builders/video-builders.ts'
import { signInOperator } from '#server/testing/builders/operator.ts'
import { startTestSite, type TestSite } from '#server/testing/site/test-site.ts'
import type { Visitor } from '#server/testing/site/visitor.ts'

let site: TestSite
let studio: Visitor
let owner: Visitor

beforeAll(async () => {
  site = await startTestSite()
  studio = (await signInOperator(site, 'editor')).studio
  owner = (await signInOperator(site, 'owner')).studio
})
afterAll(() => site.close())

/** Creates a video with these tags. */
async function tagged(tags: string[], overrides: Parameters<typeof buildVideo>[1] = {}): Promise<string> {
  const { id } = await buildVideo(site.context, overrides)
  await studio.callOk(editVideo, { body: { id, tags } })
  return id
}
const tagsOf = async (id: string) =>
  (await studio.callOk(getStudioVideo, { query: { id } })).tags.map(({ slug }) => slug)
const categoryOf = async (id: string) =>
  (await studio.callOk(getStudioVideo, { query: { id } })).category?.name
/** Finds the tag with this name. */
async function tagNamed(keyword: string) {
  const [tag] = (await studio.callOk(listStudioTags, { query: { keyword } })).list
  if (!tag) throw new Error(`there is no tag ${keyword}`)
  return tag
}
const searchVideos = async (keyword: string) =>
  (await site.visitor().callOk(queryHomepage, { query: { keyword } })).list.map(({ id }) => id)
const lastAuditEvent = async (subject: string) =>
  (await owner.callOk(listAuditEvents, { query: { subject } })).list[0]
const newest = { id: null, kind: 'row', titles: { en: 'Fed' } } as const

/**
 * Adds a section with the videos of a tag or category to the end of the homepage.
 * @returns the section's id
 */
async function addSection(type: 'tag' | 'category', slug: string): Promise<string> {
  const { draft, version } = await studio.callOk(showHomepage)
  const sections = [...draft.sections, { ...newest, source: { type, slug } }]
  const saved = await studio.callOk(saveHomepage, { body: { draft: { ...draft, sections }, version } })
  return saved.draft.sections.at(-1)?.id ?? ''
}
const sourceOf = async (section: string) =>
  (await studio.callOk(showHomepage)).draft.sections.find(({ id }) => id === section)?.source

describe('the list of tags', () => {
  it('is ordered by the number of published videos, and is paged', async () => {
    await tagged(['Paged often', 'Paged once'])
    await tagged(['Paged often', 'Paged never'], { state: 'draft' })
    await tagged(['Paged often'])
    const query = { keyword: 'paged', limit: 2 }
    const first = await studio.callOk(listStudioTags, { query })
    const cursor = first.next_cursor ?? ''
    const second = await studio.callOk(listStudioTags, { query: { ...query, cursor } })
    expect([...first.list, ...second.list].map(({ slug, video_count }) => [slug, video_count])).toEqual([
      ['paged-often', 2],
      ['paged-once', 1],
      ['paged-never', 0],
    ])
    expect(second.next_cursor).toBeNull()
    expect((await studio.call(listStudioTags, { query: { keyword: 'other', cursor } })).status).toBe(400)
    const all = (await studio.callOk(listStudioTags, { query: {} })).list
    expect(all[0]).toMatchObject({ slug: 'paged-often', names: { en: 'Paged often' } })
  })

  it('has only names with a word that begins with the keyword, even if the keyword is the code of a language', async () => {
    await tagged(['Zero enough', 'Zero else'])
    const find = async (keyword: string) =>
      (await studio.callOk(listStudioTags, { query: { keyword: `zero ${keyword}` } })).list.map(
        ({ slug }) => slug,
      )
    expect(await find('en')).toEqual(['zero-enough'])
    expect((await find('e')).toSorted()).toEqual(['zero-else', 'zero-enough'])
    expect(await find('es')).toEqual([])
  })
})

describe('renaming a tag', () => {
  it('changes its names in videos and in search, keeps the slug, and records the names before and after', async () => {
    const id = await tagged(['Lovey dovey'])
    const { id: tag, slug } = await tagNamed('lovey')
    const names = { en: ' Tenderness ', dy: 'Zärtlichkeit' }
    expect(await studio.callOk(changeTag, { body: { id: tag, names } })).toEqual({
      id: tag,
      slug,
      names: { en: 'Tenderness', dy: 'Zärtlichkeit' },
    })
    expect(await searchVideos('zartlichkeit')).toEqual([id])
    expect(await searchVideos('lovey dovey')).toEqual([])
    const german = site.visitor({ 'accept-language': 'de' })
    const loadTags = async () =>
      (await german.callOk(getVideo, { query: { id } })).tags.map(({ name }) => name)
    await expect.poll(loadTags).toEqual(['Zärtlichkeit'])
    expect(await lastAuditEvent(tag)).toMatchObject({
      event: 'studio tag change',
      details: { before: { names: { en: 'Lovey dovey' } }, after: { names: { en: 'Tenderness' } } },
    })
    await studio.callOk(changeTag, { body: { id: tag, names: { dy: '' } } })
    expect((await tagNamed('tenderness')).names).toEqual({ en: 'Tenderness' })
  })

  it.each([
    [{ en: ' ' }, 'names.en'],
    [{ en: '???' }, 'names.en'],
    [{ pt: 'x'.repeat(65) }, 'names.pt'],
    [{ es: 'Amor, odio' }, 'names.es'],
  ])('to %j is refused, and the error names the invalid field', async (names, field) => {
    await tagged(['Stays'])
    const tag = await tagNamed('stays')
    const { answer } = await studio.call(changeTag, { body: { id: tag.id, names } })
    expect(answer).toMatchObject({ code: 500, info: { field } })
    expect(await tagNamed('stays')).toEqual(tag)
  })
})

describe('a name that another label has', () => {
  it('is refused for a tag in the same language, ignoring case, and accepted in another language', async () => {
    await tagged(['Same one', 'Same two'])
    const [one, two] = [await tagNamed('same one'), await tagNamed('same two')]
    const rename = async (id: string, names: object) =>
      (await studio.call(changeTag, { body: { id, names } })).answer
    expect(await rename(two.id, { en: 'same ONE' })).toMatchObject({ code: 500, info: { field: 'names.en' } })
    expect(await rename(one.id, { dy: 'Gleich' })).toMatchObject({ code: 200 })
    expect(await rename(two.id, { dy: 'gleich' })).toMatchObject({ code: 500, info: { field: 'names.dy' } })
    expect(await rename(two.id, { es: 'Gleich' })).toMatchObject({ code: 200 })
    expect(await rename(one.id, { en: 'Same ONE' })).toMatchObject({ code: 200 })
    // Names that consist of punctuation are not in the index, so all tags are scanned for them.
    expect(await rename(one.id, { pt: '!?' })).toMatchObject({ code: 200 })
    expect(await rename(two.id, { pt: '!?' })).toMatchObject({ code: 500, info: { field: 'names.pt' } })
    expect(await rename(two.id, { pt: '!' })).toMatchObject({ code: 200 })
    expect(await tagNamed('same two')).toMatchObject({ names: { en: 'Same two', es: 'Gleich', pt: '!' } })
  })
})

describe('merging a tag into another', () => {
  it('gives each video the other tag in the same position, changes the sections, and deletes the merged tag', async () => {
    const both = await tagged(['Feud', 'Between', 'Quarrel'])
    const one = await tagged(['Quarrel', 'Last'])
    const draft = await tagged(['Quarrel'], { state: 'draft' })
    const [from, into] = [await tagNamed('quarrel'), await tagNamed('feud')]
    const section = await addSection('tag', from.slug)
    const answer = await studio.callOk(mergeTag, { body: { id: from.id, into: into.id } })
    expect(answer.slug).toBe('feud')
    expect(await tagsOf(both)).toEqual(['feud', 'between'])
    expect(await tagsOf(one)).toEqual(['feud', 'last'])
    expect(await tagsOf(draft)).toEqual(['feud'])
    expect((await tagNamed('feud')).video_count).toBe(2)
    expect((await studio.callOk(listStudioTags, { query: { keyword: 'quarrel' } })).list).toEqual([])
    expect((await searchVideos('feud')).toSorted()).toEqual([both, one].toSorted())
    expect(await searchVideos('quarrel')).toEqual([])
    expect(await sourceOf(section)).toEqual({ type: 'tag', slug: 'feud' })
    const response = await site.visitor().call(queryHomepage, { query: { tag: from.id } })
    expect(response.answer.code).toBe(404)
    const { list } = await site.visitor().callOk(queryHomepage, { query: { tag: into.id } })
    expect(list.map(({ id }) => id).toSorted()).toEqual([both, one].toSorted())
    expect(await lastAuditEvent(from.id)).toMatchObject({
      event: 'studio tag merge',
      details: {
        before: { slug: 'quarrel', names: { en: 'Quarrel' }, videos: 3, sections: [section] },
        after: { into: into.id, slug: 'feud' },
      },
    })
  })

  it('requires two different, existing tags', async () => {
    const id = await tagged(['Alone'])
    const tag = (await tagNamed('alone')).id
    for (const into of [tag, 'tag_none'])
      expect((await studio.call(mergeTag, { body: { id: tag, into } })).answer.code).toBe(404)
    expect(await tagsOf(id)).toEqual(['alone'])
  })

  it('loses no video that gets the tag during the merge', async () => {
    await tagged(['Merged away', 'Merged into'])
    const [from, into] = [await tagNamed('merged away'), await tagNamed('merged into')]
    const { id } = await buildVideo(site.context)
    await Promise.all([
      studio.callOk(mergeTag, { body: { id: from.id, into: into.id } }),
      studio.callOk(editVideo, { body: { id, tags: ['Merged away'] } }),
    ])
    // If the edit was first, the merge moved the video. If the merge was first, the edit created a new tag with this
    // name.
    expect(['merged-into', 'merged-away']).toContain((await tagsOf(id))[0])
  })
})

describe('deleting a tag', () => {
  it('removes it from published videos and drafts', async () => {
    const ids = [await tagged(['Kept', 'Unwanted']), await tagged(['Unwanted', 'Kept'], { state: 'draft' })]
    const { id } = await tagNamed('unwanted')
    expect(await studio.callOk(deleteTag, { body: { id } })).toEqual({ deleted: true })
    for (const video of ids) expect(await tagsOf(video)).toEqual(['kept'])
    expect(await searchVideos('unwanted')).toEqual([])
    expect(await lastAuditEvent(id)).toMatchObject({
      event: 'studio tag delete',
      details: { before: { slug: 'unwanted', videos: 2 } },
    })
    expect((await studio.call(deleteTag, { body: { id } })).answer.code).toBe(404)
  })

  it('is refused while a homepage section shows its videos', async () => {
    const video = await tagged(['In front'])
    const { id, slug } = await tagNamed('front')
    const section = await addSection('tag', slug)
    expect((await studio.call(deleteTag, { body: { id } })).answer.code).toBe(409)
    expect(await tagsOf(video)).toEqual(['in-front'])
    expect(await sourceOf(section)).toEqual({ type: 'tag', slug: 'in-front' })
  })
})

describe('categories', () => {
  const menu = async () => (await site.visitor().callOk(getHomepage)).menu.map(({ name }) => name)
  const listed = async () => (await studio.callOk(listStudioCategories)).list
  const nameAll = async () => (await listed()).map(({ names }) => names.en)

  it('are reordered only if the new order lists all of them', async () => {
    const { db } = site.context
    const names = ['Alpha', 'Beta', 'Gamma']
    for (const name of names) await buildVideo(site.context, { categoryId: await buildCategory(db, name) })
    const ids = (await listed()).map(({ id }) => id).toReversed()
    const before = await nameAll()
    const { list } = await studio.callOk(reorderCategories, { body: { ids } })
    expect(list.map((each) => each.names.en)).toEqual(before.toReversed())
    // A category without a visible video is not in the menu.
    await expect
      .poll(async () => (await menu()).filter((name) => names.includes(name)))
      .toEqual(names.toReversed())
    expect(await lastAuditEvent('categories')).toMatchObject({ event: 'studio category reorder' })
    for (const wrong of [
      ids.slice(1),
      [...ids.slice(1), 'cat_none'],
      [...ids, 'cat_none'],
      [...ids.slice(1), ids[1] ?? ''],
    ])
      expect((await studio.call(reorderCategories, { body: { ids: wrong } })).answer.code).toBe(409)
    expect(await nameAll()).toEqual(before.toReversed())
  })

  it('that are new are last in the menu, even after a reordering', async () => {
    const ids = (await listed()).map(({ id }) => id)
    await studio.callOk(reorderCategories, { body: { ids } })
    const before = await nameAll()
    for (const category of ['Typed first', 'A second one', 'Typed first'])
      await studio.callOk(editVideo, { body: { id: (await buildVideo(site.context)).id, category } })
    const now = [...before, 'Typed first', 'A second one']
    expect(await nameAll()).toEqual(now)
    await expect.poll(async () => (await menu()).slice(-2)).toEqual(now.slice(-2))
  })

  it('are renamed for viewers, in each language', async () => {
    const id = await buildCategory(site.context.db, 'Misnamed')
    await buildVideo(site.context, { categoryId: id })
    await studio.callOk(changeCategory, { body: { id, names: { en: 'Well named', es: 'Bien dicho' } } })
    const loadMenu = async () => (await site.visitor({ 'accept-language': 'es' }).callOk(getHomepage)).menu
    await expect.poll(loadMenu).toContainEqual({ id, name: 'Bien dicho' })
    expect(await lastAuditEvent(id)).toMatchObject({
      details: { before: { names: { en: 'Misnamed' } }, after: { names: { en: 'Well named' } } },
    })
  })

  it('are merged, including their videos in every state and their sections', async () => {
    const { db } = site.context
    const [from, into] = [await buildCategory(db, 'Minor'), await buildCategory(db, 'Major')]
    const videos = [
      await buildVideo(site.context, { categoryId: from }),
      await buildVideo(site.context, { categoryId: from, state: 'draft' }),
    ]
    const slugOf = async (id: string) => (await listed()).find((each) => each.id === id)?.slug ?? ''
    const section = await addSection('category', await slugOf(from))
    await studio.callOk(mergeCategory, { body: { id: from, into } })
    for (const { id } of videos) expect(await categoryOf(id)).toBe('Major')
    expect(await sourceOf(section)).toEqual({ type: 'category', slug: await slugOf(into) })
    expect(await nameAll()).not.toContain('Minor')
    expect((await studio.call(deleteCategory, { body: { id: into } })).answer.code).toBe(409)
  })

  it('refuse a name that another category has', async () => {
    const { db } = site.context
    const [one] = [await buildCategory(db, 'Twin one'), await buildCategory(db, 'Twin two')]
    const call = await studio.call(changeCategory, { body: { id: one, names: { en: 'Twin two' } } })
    expect(call.answer).toMatchObject({ code: 500, info: { field: 'names.en' } })
  })

  it('are deleted, and their videos remain without a category', async () => {
    const id = await buildCategory(site.context.db, 'Dropped')
    const video = await buildVideo(site.context, { categoryId: id })
    await studio.callOk(deleteCategory, { body: { id } })
    expect(await categoryOf(video.id)).toBeUndefined()
    expect(await nameAll()).not.toContain('Dropped')
    expect(await lastAuditEvent(id)).toMatchObject({
      details: { before: { names: { en: 'Dropped' }, videos: 1 } },
    })
  })
})

it('the command line renames and deletes a tag', async () => {
  await tagged(['Typed'])
  const { id } = await tagNamed('typed')
  await runStudioCommand(site.context, [
    'tag',
    'change',
    id,
    '--names.en',
    'Typed anew',
    '--names.fy',
    'Tapé',
  ])
  expect((await tagNamed('typed')).names).toEqual({ en: 'Typed anew', fy: 'Tapé' })
  await runStudioCommand(site.context, ['tag', 'delete', id])
  expect((await studio.callOk(listStudioTags, { query: { keyword: 'typed' } })).list).toEqual([])
})
