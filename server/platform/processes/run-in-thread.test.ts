import { expect, test } from 'vitest'
import { DeadlineExceeded, runInThread } from './run-in-thread.ts'

const module = new URL('../../testing/threads/thread-functions.ts', import.meta.url).href

test('work in a thread returns its result, or throws its error with name and message', async () => {
  expect(await runInThread({ module, name: 'double', args: [21] })).toBe(42)
  await expect(runInThread({ module, name: 'fail', args: ['no'] })).rejects.toMatchObject({
    name: 'RangeError',
    message: 'no',
  })
})

test('terminates work that exceeds its deadline', async () => {
  await expect(runInThread({ module, name: 'spin', args: [20_000] }, 100)).rejects.toBeInstanceOf(
    DeadlineExceeded,
  )
})

test('the deadline does not include the time to load the module', async () => {
  const slow = new URL('../../testing/threads/slow-loading-module.ts', import.meta.url).href
  expect(await runInThread({ module: slow, name: 'half', args: [42] }, 1000)).toBe(21)
})
