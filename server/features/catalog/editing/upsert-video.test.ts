import { expect, onTestFinished, test } from 'vitest'
import { createTestDatabase } from '#server/testing/database/test-database.ts'
import { waitForLock } from '#server/testing/database/wait-for-lock.ts'
import { upsertVideo, type VideoDetails } from './upsert-video.ts'

test('an import locks an existing video before its category, as an edit in the studio does', async () => {
  const database = await createTestDatabase()
  onTestFinished(() => database.close())
  const { db, pool } = database
  const details: VideoDetails = {
    slug: 'first-love',
    titles: { en: 'First Love' },
    synopses: { en: '' },
    category: 'romance',
    tags: [],
    badge: null,
    featured: false,
    freeEpisodes: 1,
    price: { currency: 'USD', episodeCents: 99, videoCents: 999 },
  }
  // Does not use `inTransaction`, which retries after a deadlock and would hide it.
  const publish = () =>
    db.transaction().execute((tx) => upsertVideo(tx, details, { release: 'draft', now: new Date() }))
  const id = await publish()
  const editing = await pool.connect()
  onTestFinished(() => editing.release(true))
  await editing.query('BEGIN')
  await editing.query('SELECT FROM videos WHERE id = $1 FOR UPDATE', [id])
  const publishing = publish()
  await waitForLock(pool)
  // NOWAIT fails at once if the import has locked the category: then the import and the edit would deadlock.
  const category = editing.query("SELECT FROM categories WHERE slug = 'romance' FOR UPDATE NOWAIT")
  await expect(category).resolves.toMatchObject({ rowCount: 1 })
  await editing.query('COMMIT')
  expect(await publishing).toBe(id)
})
