import { afterAll, beforeAll, expect, it } from 'vitest'
import { queryHomepage } from '#contract/catalog.ts'
import { buildTag, buildVideo } from '#server/testing/builders/video-builders.ts'
import { advancingClock } from '#server/testing/fakes/advancing-clock.ts'
import { waitForLock } from '#server/testing/database/wait-for-lock.ts'
import { startTestSite, type TestSite } from '#server/testing/site/test-site.ts'
import type { Db, Tx } from '#server/tables.ts'
import { replaceVideoTags } from '#server/features/catalog/editing/publish-queries.ts'
import { replaceLabel, removeLabel } from '#server/features/catalog/editing/label-queries.ts'

let site: TestSite
beforeAll(async () => {
  site = await startTestSite({ clock: advancingClock() })
})
afterAll(() => site.close())

const title = 'Wanderer'
const db = () => site.context.db
const inTransaction = <Result>(work: (tx: Tx) => Promise<Result>) => db().transaction().execute(work)

/**
 * Creates a video with these tags.
 * @returns the video's id and the ids of the tags
 */
async function buildTagged<Name extends string>(...names: Name[]) {
  const video = await buildVideo(site.context, { title })
  const ids = {} as Record<Name, string>
  for (const name of names) ids[name] = await buildTag(db(), name)
  await inTransaction((tx) =>
    replaceVideoTags(
      tx,
      video.id,
      names.map((name) => ids[name]),
    ),
  )
  return { video: video.id, ids }
}

/** Returns the tags on the card of a video in search results. */
async function onCard(video: string): Promise<string[]> {
  const { list } = await site.visitor().callOk(queryHomepage, { query: { keyword: title } })
  return list.find(({ id }) => id === video)?.tags.map(({ name }) => name) ?? []
}

it('a card has its video’s tags in order, and is updated when the tags are reordered', async () => {
  const { video, ids } = await buildTagged('One', 'Two', 'Three')
  expect(await onCard(video)).toEqual(['One', 'Two', 'Three'])
  await inTransaction((tx) => replaceVideoTags(tx, video, [ids.Three, ids.One]))
  expect(await onCard(video)).toEqual(['Three', 'One'])
  await inTransaction((tx) => replaceVideoTags(tx, video, []))
  expect(await onCard(video)).toEqual([])
})

it('a card is updated when a tag of its video is deleted or merged into another tag', async () => {
  const { video, ids } = await buildTagged('Feud', 'Quarrel', 'Kin')
  await inTransaction((tx) => replaceLabel(tx, { kind: 'tag', id: ids.Quarrel }, ids.Feud))
  expect(await onCard(video)).toEqual(['Feud', 'Kin'])
  const other = await buildTag(db(), 'Family')
  await inTransaction((tx) => replaceLabel(tx, { kind: 'tag', id: ids.Kin }, other))
  expect(await onCard(video)).toEqual(['Feud', 'Family'])
  await inTransaction((tx) => removeLabel(tx, { kind: 'tag', id: ids.Feud }))
  expect(await onCard(video)).toEqual(['Family'])
})

it('tags that two concurrent edits add to a draft are both on its card', async () => {
  const { id: video } = await buildVideo(site.context, { title, state: 'draft' })
  const [first, second] = [await buildTag(db(), 'First'), await buildTag(db(), 'Second')]
  const tag = (on: Db, tag_id: string, position: number) =>
    on.insertInto('video_tags').values({ video_id: video, tag_id, position }).execute()
  let other: Promise<unknown> = Promise.resolve()
  await inTransaction(async (tx) => {
    await tag(tx, first, 0)
    other = tag(db(), second, 1)
    await waitForLock(site.context.database.pool)
  })
  await other
  await db().updateTable('videos').set({ state: 'published' }).where('id', '=', video).execute()
  expect(await onCard(video)).toEqual(['First', 'Second'])
})
