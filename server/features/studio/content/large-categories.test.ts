import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { queryHomepage } from '#contract/catalog.ts'
import { deleteCategory, listStudioCategories, mergeCategory } from '#contract/studio/labels.ts'
import { listAuditEvents } from '#contract/studio/operators.ts'
import { editVideo, getStudioVideo } from '#contract/studio/videos.ts'
import { runStudioCommand } from '#server/cli/studio-command.ts'
import { catalogJobs } from '#server/features/catalog/catalog.ts'
import { buildCategory, buildVideo } from '#server/testing/builders/video-builders.ts'
import { signInOperator } from '#server/testing/builders/operator.ts'
import { startTestSite, type TestSite } from '#server/testing/site/test-site.ts'
import type { Visitor } from '#server/testing/site/visitor.ts'

/** Number of videos. It is so high that a change of all videos takes more than two batches. */
const many = 450

let site: TestSite
let studio: Visitor
let owner: Visitor
let category: string
let other: string
let count = 0

beforeAll(async () => {
  site = await startTestSite()
  studio = (await signInOperator(site, 'editor')).studio
  owner = (await signInOperator(site, 'owner')).studio
})
afterAll(() => site.close())
beforeEach(async () => {
  count++
  category = await buildCategory(site.context.db, `Crowd ${count}`)
  other = await buildCategory(site.context.db, `Other ${count}`)
  await site.context.database.pool.query(
    `INSERT INTO videos (id, slug, titles, synopses, category_id, state, free_episodes, currency, episode_cents, video_cents, released_at)
     SELECT $1 || n, $1 || n, '{"en": "One of many"}', '{"en": ""}', $2, CASE WHEN n % 2 = 0 THEN 'draft' ELSE 'published' END,
       0, 'USD', 99, 999, now() FROM generate_series(1, $3::integer) n`,
    [`vid_${count}_`, category, many],
  )
})

/** Runs all pending work. With `batches`, stops after this number of batches, as a process that ends would. */
async function work(batches = Infinity): Promise<void> {
  let remaining = batches
  const signal = new AbortController().signal
  Object.defineProperty(signal, 'aborted', { get: () => remaining-- <= 0 })
  await catalogJobs(site.context)
    .find(({ name }) => name === 'finish-tag-changes')
    ?.run(signal)
}
const listed = async (id: string) =>
  (await studio.callOk(listStudioCategories)).list.find((each) => each.id === id)
async function videosIn(id: string): Promise<number> {
  const { db } = site.context
  return (await db.selectFrom('videos').select('id').where('category_id', '=', id).execute()).length
}

describe('a category of many videos', () => {
  it('is merged in batches, and is deleted after the last video got the other category', async () => {
    const merged = await studio.callOk(mergeCategory, { body: { id: category, into: other } })
    expect(merged).toMatchObject({ id: other, done: false })
    expect(await listed(category)).toMatchObject({ running_task: 'merge' })
    expect(await runStudioCommand(site.context, ['category', 'list'])).toContain('merge')
    await work(1)
    expect([await videosIn(category), await videosIn(other)]).toEqual([many - 200, 200])
    await work()
    expect([await videosIn(category), await videosIn(other)]).toEqual([0, many])
    expect([await listed(category), await listed(other)]).toMatchObject([undefined, { running_task: null }])
    const { list } = await site.visitor().callOk(queryHomepage, { query: { menu: other, limit: 5 } })
    expect(list).toHaveLength(5)
    const events = await owner.callOk(listAuditEvents, { query: { subject: category } })
    expect(events.list[0]).toMatchObject({ details: { before: { videos: many } } })
  })

  it('is also merged in a video that gets the category between two batches', async () => {
    await studio.callOk(mergeCategory, { body: { id: category, into: other } })
    await work(2)
    const { id } = await buildVideo(site.context)
    await studio.callOk(editVideo, { body: { id, category: (await listed(category))?.slug ?? '' } })
    expect(await videosIn(category)).toBe(many - 400 + 1)
    await work()
    expect((await studio.callOk(getStudioVideo, { query: { id } })).category?.name).toBe(`Other ${count}`)
  })

  it('is deleted in batches, and its videos remain', async () => {
    expect(await studio.callOk(deleteCategory, { body: { id: category } })).toEqual({ deleted: false })
    expect(await listed(category)).toMatchObject({ running_task: 'delete' })
    await work(1)
    expect(await videosIn(category)).toBe(many - 200)
    await work()
    expect(await listed(category)).toBeUndefined()
    const video = await studio.callOk(getStudioVideo, { query: { id: `vid_${count}_${many}` } })
    expect(video.category).toBeNull()
  })

  it('remains if a process of an older release deletes the category that was to replace it', async () => {
    await studio.callOk(mergeCategory, { body: { id: category, into: other } })
    await site.context.db.deleteFrom('categories').where('id', '=', other).execute()
    await work()
    expect(await listed(category)).toMatchObject({ running_task: null })
    expect(await videosIn(category)).toBe(many)
  })

  it('that is being merged cannot be merged or deleted, and no category can be merged into it', async () => {
    await studio.callOk(mergeCategory, { body: { id: category, into: other } })
    const codes = [
      await studio.call(mergeCategory, { body: { id: category, into: other } }),
      await studio.call(mergeCategory, { body: { id: other, into: category } }),
      await studio.call(deleteCategory, { body: { id: category } }),
      await studio.call(deleteCategory, { body: { id: other } }),
    ].map(({ answer }) => answer.code)
    expect(codes).toEqual([409, 409, 409, 409])
    await work()
    expect(await studio.callOk(deleteCategory, { body: { id: other } })).toEqual({ deleted: false })
    await work()
    expect(await listed(other)).toBeUndefined()
  })
})
