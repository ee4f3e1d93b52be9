import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { getEpisode } from '#contract/media.ts'
import { registerMember } from '#server/testing/builders/register-member.ts'
import { buildVideo } from '#server/testing/builders/video-builders.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database/test-database.ts'
import { startTestSite, type TestSite } from '#server/testing/site/test-site.ts'

/**
 * Two sites on one database, like two processes. Their caches rely on announcements from the start; in production, a
 * cache relies on them only if the last change was more than a minute ago.
 */
let database: TestDatabase
let editing: TestSite
let linking: TestSite
let offsetMs = 0
beforeAll(async () => {
  database = await createTestDatabase()
  const overrides = {
    database: { ...database, close: async () => {} },
    clock: { now: () => new Date(Date.now() + offsetMs) },
    catalogueQuietMs: 0,
  }
  ;[editing, linking] = await Promise.all([startTestSite(overrides), startTestSite(overrides)])
})
afterAll(async () => {
  await editing.close()
  await linking.close()
  await database.close()
})

/** Waits until a process has received all announcements so far, because a late one would remove a cached episode. */
async function receiveAnnouncements({ context: { catalogueChanges } }: TestSite): Promise<void> {
  const received = vi.spyOn(catalogueChanges.listener, 'onAnnouncement')
  await database.pool.query("SELECT pg_notify('catalogue', 'the last one')")
  await expect.poll(() => received.mock.calls).toContainEqual(['the last one'])
}

test('a process caches an episode until another process changes its video', async () => {
  const video = await buildVideo(editing.context, { episodes: 2, freeEpisodes: 2 })
  const query = { episode_id: video.episodes[0]?.id ?? '' }
  const { visitor } = await registerMember(linking)
  const link = async () => (await visitor.call(getEpisode, { query })).answer.code
  await expect.poll(() => linking.context.catalogueChanges.lastChange().isSettled).toBe(true)
  await receiveAnnouncements(linking)
  expect(await link()).toBe(200)
  // Changes the video without an announcement.
  await database.pool.query(
    "BEGIN; SET LOCAL session_replication_role = 'replica'; UPDATE videos SET free_episodes = 0; COMMIT",
  )
  offsetMs += 1000
  expect(await link()).toBe(200)
  await editing.context.db.updateTable('videos').set({ episode_cents: 999 }).execute()
  await expect.poll(link).toBe(402)
})
