import { execFile } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildVideo } from '#server/testing/builders/video-builders.ts'
import { testCards } from '#server/testing/builders/shopper.ts'
import { startTestSite, type TestSite } from '#server/testing/site/test-site.ts'

const run = promisify(execFile)
const folder = join(import.meta.dirname, 'testing', 'generated-client')
const paths = join(folder, 'paths.ts')
const compiler = join(import.meta.dirname, '..', 'node_modules', 'typescript', 'bin', 'tsc')
let site: TestSite

beforeAll(async () => {
  site = await startTestSite()
  await buildVideo(site.context, { featured: true })
  const generator = join(folder, 'generate-paths.mjs')
  const options = { maxBuffer: 64 * 1024 * 1024 }
  const { stdout } = await run(process.execPath, [generator, `${site.url}/api/openapi.json`], options)
  writeFileSync(paths, stdout)
})
afterAll(async () => {
  rmSync(paths, { force: true })
  await site.close()
})

async function cardToken(userToken: string): Promise<string> {
  const answer = await fetch(`${site.url}/sandbox/tokens`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-user-token': userToken },
    body: JSON.stringify({ number: testCards.pays, expiry: '12 / 40', cvv: '123' }),
  })
  const { token } = (await answer.json()) as { token: string }
  return token
}

test('a program that uses the generated client compiles', async () => {
  const { stdout } = await run(process.execPath, [compiler, '-p', folder])
  expect(stdout).toBe('')
})

test('a program that uses the generated client buys and plays an episode', async () => {
  // Imports the program dynamically: the types of the client do not exist when the project is compiled.
  const journey = join(folder, 'journey.ts')
  const { watchPaidEpisode } = (await import(journey)) as {
    watchPaidEpisode(shop: { url: string; cardToken: typeof cardToken }): Promise<string>
  }
  expect(await watchPaidEpisode({ url: site.url, cardToken })).toMatch(/^#EXTM3U\n/)
})
