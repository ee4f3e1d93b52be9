import { expect, test } from 'vitest'
import { readVideoYaml } from './read-video-yaml.ts'

test('brackets that lie in each other are a mistake, and do not hold up the process', async () => {
  // So that nothing is left to load.
  await readVideoYaml('title: x').catch(() => undefined)
  let turns = 0
  const timer = setInterval(() => turns++, 1)
  await expect(readVideoYaml('['.repeat(60_000))).rejects.toMatchObject({ name: 'DescriptionError' })
  clearInterval(timer)
  expect(turns).toBeGreaterThan(20)
})

test('a file that is too long is not parsed', async () => {
  await expect(readVideoYaml('a'.repeat(300_000))).rejects.toThrow('at most 262144 characters')
})
