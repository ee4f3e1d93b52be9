import type * as os from 'node:os'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { signIn } from '#contract/members.ts'
import { systemClock } from '#server/platform/clock.ts'
import { startTestSite, type TestSite } from '#server/testing/site/test-site.ts'

/** Blocks hashing until the test releases it. */
const hashing = vi.hoisted(() => {
  const gate = Promise.withResolvers<void>()
  return { gate, running: 0, maxConcurrent: 0, done: 0 }
})

vi.mock('node:os', async (original) => ({
  ...(await original<typeof os>()),
  availableParallelism: () => 16,
}))
vi.mock('./run-hashing.ts', () => ({
  runHashing: async () => {
    hashing.maxConcurrent = Math.max(hashing.maxConcurrent, ++hashing.running)
    await hashing.gate.promise
    hashing.running--
    hashing.done++
    return false
  },
}))

let site: TestSite
beforeAll(async () => {
  // With this override, SITE_PROCESSES=2 starts no second process, so the test can observe all hashing.
  site = await startTestSite({ clock: systemClock }, { RATE_LIMIT_SIGN_IN_PER_IP: '1000/min' })
})
afterAll(() => site.close())

test('the site hashes four passwords concurrently, queues 200, and asks further callers to retry', async () => {
  const refused: unknown[] = []
  const attemptSignIn = async (_: unknown, index: number) => {
    const body = { email: `somebody-${index}@example.com`, password: 'not the password' }
    const { status, headers, answer } = await site.visitor().call(signIn, { body })
    if (status === 503) refused.push([answer.code, headers.get('retry-after')])
    return answer.code
  }
  const entering = Promise.all(Array.from({ length: 210 }, attemptSignIn))
  try {
    await expect.poll(() => refused).toEqual(Array.from({ length: 6 }, () => [503, '5']))
    expect(hashing).toMatchObject({ running: 4, done: 0 })
  } finally {
    hashing.gate.resolve()
  }
  expect((await entering).filter((code) => code === 500)).toHaveLength(204)
  expect(hashing).toMatchObject({ maxConcurrent: 4, running: 0, done: 204 })
})
