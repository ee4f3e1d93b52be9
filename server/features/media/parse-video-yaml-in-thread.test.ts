import { expect, test } from 'vitest'
import { parseVideoYamlInThread } from './parse-video-yaml-in-thread.ts'

test('nested brackets are rejected without blocking the process', async () => {
  // Loads the module before the measurement.
  await parseVideoYamlInThread('title: x').catch(() => undefined)
  let turns = 0
  const timer = setInterval(() => turns++, 1)
  await expect(parseVideoYamlInThread('['.repeat(60_000))).rejects.toMatchObject({ name: 'DescriptionError' })
  clearInterval(timer)
  expect(turns).toBeGreaterThan(20)
})

test('a file that is too long is not parsed', async () => {
  await expect(parseVideoYamlInThread('a'.repeat(300_000))).rejects.toThrow('at most 262144 characters')
})
