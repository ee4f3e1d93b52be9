import { expect, onTestFinished, test, vi } from 'vitest'
import { loadConfig } from '#server/platform/config/config.ts'
import { createLog } from '#server/platform/log.ts'
import { createTestDatabase } from '#server/testing/database/test-database.ts'
import { openRuntimeSettings } from './runtime-settings.ts'

test('a slow refresh does not replace the newer value of a later refresh', async () => {
  const database = await createTestDatabase()
  onTestFinished(() => database.close())
  const { pool } = database
  const config = loadConfig({ DATA_DIR: '/nowhere', APP_SECRET: 'a secret of thirty-two characters' })
  const settings = await openRuntimeSettings(database, config, createLog({ json: true, level: 'silent' }))
  // From here on, only this test refreshes the settings.
  await settings.stop()
  const store = (address: string) =>
    pool.query(
      "INSERT INTO settings (key, value) VALUES ('site', $1) ON CONFLICT (key) DO UPDATE SET value = $1",
      [JSON.stringify({ contact_email: address })],
    )
  await store('old@drama.example')
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const read = Promise.withResolvers<void>()
  const result = await pool.query("SELECT value::text AS value FROM settings WHERE key = 'site'")
  vi.spyOn(pool, 'query').mockImplementationOnce(async () => {
    read.resolve()
    await released
    return result
  })
  const slow = settings.refresh()
  await read.promise
  await store('new@drama.example')
  await settings.refresh()
  release()
  await slow
  expect(settings.contactEmail).toBe('new@drama.example')
})
