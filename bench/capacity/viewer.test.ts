import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { openMeter, Viewer } from './viewer.ts'

/** Starts a site whose first video has these episodes. */
async function startSite(episodes: readonly object[]): Promise<string> {
  const answers = {
    '/api/homepage': { info: { homepage: [{ items: [{ id: 'vid_1' }] }] } },
    '/api/video/episode': { data: { list: episodes } },
  }
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '', 'http://site').pathname
    const answer = Object.entries(answers).find(([known]) => known === path)?.[1]
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ code: 200, ...answer }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const arrive = async (episodes: readonly object[]) =>
  new Viewer(openMeter(await startSite(episodes), true), '').arrive()

test('a viewer reports a video without episodes', async () => {
  await expect(arrive([])).rejects.toThrow('Video vid_1 has no episodes')
})

test('a viewer watches a single episode again and again', async () => {
  const episode = { id: 'ep_1', state: 'locked', duration_ms: 60_000 }
  expect(await arrive([episode])).toMatchObject({ first: { episode }, next: { episode } })
})
