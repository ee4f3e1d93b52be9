import { expect, test } from 'vitest'
import { createLog } from '#server/platform/log.ts'
import { StorageUnavailable } from '#server/testing/fakes/storage-unavailable.ts'
import { exponentialBackoff, retryWithBackoff } from './exponential-backoff.ts'

const neverAborted = new AbortController().signal

/** Creates a log that collects the delays. */
function listening() {
  const seconds: number[] = []
  const log = createLog({ json: true, level: 'silent' })
  log.error = (fields: { seconds: number }) => void seconds.push(fields.seconds)
  return { log, seconds }
}

const failing = (times: number) => async () => {
  if (times-- > 0) throw new StorageUnavailable('away')
  return 'done'
}

test('delays grow up to a maximum while the storage is unreachable, and are short again after a success', async () => {
  const { log, seconds } = listening()
  const rest = exponentialBackoff(log, { firstMs: 1, maxMs: 4 })
  expect(await retryWithBackoff(rest, neverAborted, failing(4))).toBe('done')
  expect(await retryWithBackoff(rest, neverAborted, failing(1))).toBe('done')
  expect(seconds).toEqual([0.001, 0.002, 0.004, 0.004, 0.001])
})

test('other errors are thrown at once, and an abort ends the delay', async () => {
  const { log, seconds } = listening()
  const rest = exponentialBackoff(log)
  const wrong = retryWithBackoff(rest, neverAborted, async () => Promise.reject(new Error('wrong')))
  await expect(wrong).rejects.toThrow('wrong')
  expect(seconds).toEqual([])
  const stop = new AbortController()
  const resting = retryWithBackoff(rest, stop.signal, failing(9))
  await expect.poll(() => seconds).toEqual([5])
  stop.abort()
  await expect(resting).rejects.toThrow('abort')
})
