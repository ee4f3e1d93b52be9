import { expect, onTestFinished, test, vi } from 'vitest'
import { watchDisk } from './disk-guard.ts'
import { createLog } from '#server/platform/log.ts'

test('the guard reports when little space is left, and when there is space again', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  let free = 100
  const log = createLog({ json: true, level: 'silent' })
  const guard = await watchDisk('/', 50, log, async () => free)
  expect(guard.isLow()).toBe(false)
  free = 49
  await vi.advanceTimersByTimeAsync(10_000)
  expect(guard.isLow()).toBe(true)
  free = 50
  await vi.advanceTimersByTimeAsync(10_000)
  expect(guard.isLow()).toBe(false)
  guard.stop()
})
