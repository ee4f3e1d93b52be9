import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { getVideo, queryHomepage } from '#contract/catalog.ts'
import { changeTag, deleteTag, listStudioTags, mergeTag } from '#contract/studio/labels.ts'
import { editVideo, getStudioVideo } from '#contract/studio/videos.ts'
import { catalogJobs } from '#server/features/catalog/catalog.ts'
import { buildVideo } from '#server/testing/builders/video-builders.ts'
import { signInOperator } from '#server/testing/builders/operator.ts'
import { startTestSite, type TestSite } from '#server/testing/site/test-site.ts'
import type { Visitor } from '#server/testing/site/visitor.ts'

/** Number of videos. It is so high that a change of all videos takes more than two batches. */
const many = 450

let site: TestSite
let studio: Visitor
let tagCount = 0

beforeAll(async () => {
  site = await startTestSite()
  studio = (await signInOperator(site, 'editor')).studio
})
afterAll(() => site.close())

const query = async (text: string, values: unknown[] = []) =>
  (await site.context.database.pool.query<Record<string, unknown>>(text, values)).rows
/** Runs all pending work. With `batches`, stops after this number of batches, as a process that ends would. */
async function work(batches = Infinity): Promise<void> {
  let remaining = batches
  const signal = new AbortController().signal
  Object.defineProperty(signal, 'aborted', { get: () => remaining-- <= 0 })
  await catalogJobs(site.context)
    .find(({ name }) => name === 'finish-tag-changes')
    ?.run(signal)
}
const tagCalled = async (keyword: string) =>
  (await studio.callOk(listStudioTags, { query: { keyword } })).list[0]
const having = async (id: string) =>
  Number((await query('SELECT count(*) AS count FROM video_tags WHERE tag_id = $1', [id]))[0]?.['count'])
const foundBy = async (keyword: string) =>
  (await site.visitor().callOk(queryHomepage, { query: { keyword, limit: 1 } })).list.length
const tagsOf = async (id: string) =>
  (await studio.callOk(getStudioVideo, { query: { id } })).tags.map(({ slug }) => slug)
const notFound = async (id: string) =>
  (await site.visitor().call(queryHomepage, { query: { tag: id } })).answer.code

let name: string
let tag: string
let other: string
let video: string

beforeEach(async () => {
  name = `crowd${++tagCount}`
  video = (await buildVideo(site.context)).id
  await studio.callOk(editVideo, { body: { id: video, tags: [name, `other${tagCount}`] } })
  tag = (await tagCalled(name))?.id ?? ''
  other = (await tagCalled(`other${tagCount}`))?.id ?? ''
  await query(
    `INSERT INTO videos (id, slug, titles, synopses, state, free_episodes, currency, episode_cents, video_cents, released_at)
     SELECT $1 || lpad(n::text, 4, '0'), $1 || n, '{"en": "One of many"}', '{"en": ""}', 'published', 0, 'USD', 99, 999, now()
     FROM generate_series(1, $2::integer) n`,
    [`vid_${tagCount}_`, many],
  )
  await query(
    `INSERT INTO video_tags (video_id, tag_id, position)
     SELECT id, $1, 0 FROM videos WHERE id LIKE $2`,
    [tag, `vid_${tagCount}\\_%`],
  )
})

describe('a tag of many videos', () => {
  it('is merged in batches, and is deleted after the last video got the other tag', async () => {
    expect(await studio.callOk(mergeTag, { body: { id: tag, into: other } })).toMatchObject({
      id: other,
      done: false,
    })
    expect(await tagCalled(name)).toMatchObject({ running_task: 'merge', video_count: many + 1 })
    await work(1)
    expect(await having(tag)).toBe(many + 1 - 200)
    await work()
    expect([await having(tag), await having(other)]).toEqual([0, many + 1])
    expect(await tagCalled(name)).toBeUndefined()
    expect(await tagCalled(`other${tagCount}`)).toMatchObject({ running_task: null, video_count: many + 1 })
    expect(await tagsOf(video)).toEqual([`other${tagCount}`])
    expect([await foundBy(name), await foundBy(`other${tagCount}`)]).toEqual([0, 1])
    expect(await notFound(tag)).toBe(404)
  })

  it('is also merged in a video that gets the tag between two batches', async () => {
    await studio.callOk(mergeTag, { body: { id: tag, into: other } })
    await work(2)
    const late = (await buildVideo(site.context)).id
    await studio.callOk(editVideo, { body: { id: late, tags: [name] } })
    await work()
    expect(await tagsOf(late)).toEqual([`other${tagCount}`])
  })

  it('is deleted in batches, and its videos remain', async () => {
    expect(await studio.callOk(deleteTag, { body: { id: tag } })).toEqual({ deleted: false })
    expect(await tagCalled(name)).toMatchObject({ running_task: 'delete' })
    await work(1)
    expect(await having(tag)).toBe(many + 1 - 200)
    await work()
    expect(await tagCalled(name)).toBeUndefined()
    expect(
      (await site.visitor().callOk(getVideo, { query: { id: video } })).tags.map(({ id }) => id),
    ).toEqual([other])
  })

  it('that is being merged cannot be merged or deleted, and no tag can be merged into it', async () => {
    await studio.callOk(mergeTag, { body: { id: tag, into: other } })
    const codes = [
      await studio.call(mergeTag, { body: { id: tag, into: other } }),
      await studio.call(mergeTag, { body: { id: other, into: tag } }),
      await studio.call(deleteTag, { body: { id: tag } }),
      await studio.call(deleteTag, { body: { id: other } }),
    ].map(({ answer }) => answer.code)
    expect(codes).toEqual([409, 409, 409, 409])
    await work()
    expect(await studio.callOk(deleteTag, { body: { id: other } })).toEqual({ deleted: false })
    await work()
    expect(await having(other)).toBe(0)
  })

  it('that is renamed has its new name at once, and its videos are found by that name after the worker has run', async () => {
    await studio.callOk(changeTag, { body: { id: tag, names: { en: `renamed${tagCount}` } } })
    expect(await tagCalled(`renamed${tagCount}`)).toMatchObject({ running_task: 'index' })
    expect((await studio.callOk(getStudioVideo, { query: { id: video } })).tags[0]?.name).toBe(
      `renamed${tagCount}`,
    )
    await work(1)
    // Another renaming during the work restarts the work.
    await studio.callOk(changeTag, { body: { id: tag, names: { en: `again${tagCount}` } } })
    await work()
    const words = await query(
      `SELECT count(*) FILTER (WHERE words @@ to_tsquery('simple', $1)) AS fresh,
        count(*) FILTER (WHERE words @@ to_tsquery('simple', $2)) AS stale
       FROM video_search JOIN video_tags USING (video_id) WHERE tag_id = $3`,
      [`again${tagCount}`, `renamed${tagCount} | ${name}`, tag],
    )
    expect(words).toEqual([{ fresh: many + 1, stale: 0 }])
    expect(await foundBy(`again${tagCount}`)).toBe(1)
    expect(await tagCalled(`again${tagCount}`)).toMatchObject({ running_task: null })
  })

  it('that is being indexed is merged completely', async () => {
    await studio.callOk(changeTag, { body: { id: tag, names: { en: `midway${tagCount}` } } })
    await work(1)
    await studio.callOk(mergeTag, { body: { id: tag, into: other } })
    await work()
    expect([await having(tag), await having(other)]).toEqual([0, many + 1])
  })
})
