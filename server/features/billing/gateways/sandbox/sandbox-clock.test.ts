import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { createLog } from '#server/platform/log.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database/test-database.ts'
import { advanceClock, createSiteClock } from './sandbox-clock.ts'

const day = 86_400_000
const log = createLog({ json: true, level: 'silent' })
const sandboxAlone = { allowSandbox: true, stripe: undefined, paypal: undefined }
const withStripe = { ...sandboxAlone, stripe: { publishableKey: 'pk', apiBase: 'https://api.stripe.com' } }
let database: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.close())
afterEach(() => void vi.useRealTimers())

test('an advanced clock applies to running and new processes', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  const running = await createSiteClock(sandboxAlone, database.db, log)
  const start = Date.now()
  await advanceClock(sandboxAlone, database.db, '2d')
  expect((await advanceClock(sandboxAlone, database.db, '12h')).getTime()).toBe(start + 2.5 * day)
  expect((await createSiteClock(sandboxAlone, database.db, log)).now().getTime()).toBe(start + 2.5 * day)
  expect(running.now().getTime()).toBe(start)
  vi.setSystemTime(start + 6000)
  await expect.poll(() => running.now().getTime() - Date.now()).toBe(2.5 * day)
})

test('a site with the keys of a real gateway uses the system clock, which cannot be advanced', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  await expect(advanceClock(withStripe, database.db, '1d')).rejects.toThrow('only if the sandbox')
  expect((await createSiteClock(withStripe, database.db, log)).now().getTime()).toBe(Date.now())
})

test.each([undefined, '', '-1d', '1', 'd', '0d', '1.5h', '99999d'])(
  'rejects an invalid duration: %s',
  async (length) => {
    await expect(advanceClock(sandboxAlone, database.db, length)).rejects.toThrow('Enter a duration')
  },
)
