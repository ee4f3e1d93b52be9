import { afterAll, beforeAll, expect, it } from 'vitest'
import { getUser } from '#contract/members.ts'
import { signMediaUrl } from '#server/features/media/signed-urls.ts'
import {
  tamperedLinks,
  parseMediaLink,
  formatMediaLink,
  type MediaLink,
} from '#server/testing/media/media-links.ts'
import { buyEpisode, startBillingSite, type BillingSite } from '#server/testing/site/billing-site.ts'
import { buildVideo } from '#server/testing/builders/video-builders.ts'
import { startFakeS3 } from '#server/testing/fakes/fake-s3.ts'
import { requestPlayback } from '#server/testing/builders/viewers-by-entitlement.ts'
import { startRecordingOrigin, type RecordingOrigin } from '#deploy/testing/recording-origin.ts'
import { startNginx, type Nginx } from '#deploy/testing/run-nginx.ts'

/** Number of viewers in the test of the cache. Each watches `watchedEpisodes` episodes completely. */
const viewers = 200
const watchingAtOnce = 10
const watchedEpisodes = 2
const segmentBytes = 50_000
/** The segments of a built episode, which lasts 18 s. */
const segments = ['v0/00000.m4s', 'v0/00001.m4s', 'v0/00002.m4s']

let site: BillingSite
let origin: RecordingOrigin
let edge: Nginx
/** Signed URLs of two viewers for the same locked episode. */
let first: MediaLink
let second: MediaLink
let freeLink: MediaLink

const files = ['master.m3u8', 'v0/index.m3u8', 'v0/init.mp4', 'v0/00000.m4s', 'captions/en.vtt', 'thumb.webp']
const get = (link: MediaLink, file: string, init: RequestInit = {}) =>
  fetch(edge.url + formatMediaLink(link, file), init)

beforeAll(async () => {
  site = await startBillingSite()
  origin = await startRecordingOrigin(site.url)
  const secrets = site.context.mediaSecrets
  edge = await startNginx({ config: 'edge-cache.conf', site: origin.host, secrets })
  const visitor = site.visitor()
  await visitor.callOk(getUser)
  const links = [
    (await requestPlayback(site, visitor, 1)).link,
    (await requestPlayback(site, (await buyEpisode(site)).shopper.visitor, 4)).link,
    (await requestPlayback(site, (await buyEpisode(site)).shopper.visitor, 4)).link,
  ]
  const [one, two, three] = links
  if (!one || !two || !three) throw new Error('a signed URL was not issued')
  ;[freeLink, first, second] = [one, two, three]
})
afterAll(async () => {
  await edge.close()
  await origin.close()
  await site.close()
})

it('requests each file except captions once from the site for all viewers, and lets a browser cache a file until the viewer’s URL expires', async () => {
  expect(first.subject).not.toBe(second.subject)
  for (const file of files) {
    const responses = [await get(first, file), await get(second, file)]
    const bodies = await Promise.all(responses.map((answer) => answer.text()))
    expect(responses.map(({ status }) => status)).toEqual([200, 200])
    expect(bodies[0]).toBe(bodies[1])
    for (const { headers } of responses) {
      expect(headers.get('cache-control')).toMatch(/^private, max-age=[3-6]\d\d, immutable$/)
      expect(headers.get('content-type')).toBe(
        (await fetch(site.url + formatMediaLink(first, file))).headers.get('content-type'),
      )
    }
    // Captions may change, so the edge requests them from the site each time.
    const expectedRequests = file.startsWith('captions/') ? 2 : 1
    expect(origin.requestedPaths.filter((path) => path.endsWith(file))).toHaveLength(expectedRequests)
  }
})

it('with a bucket, caches no captions and no redirects to images, and no playlists, because a playlist contains the signed URLs of one viewer', async () => {
  const store = await startFakeS3()
  const bucketSite = await startBillingSite(store.settings)
  const countingOrigin = await startRecordingOrigin(bucketSite.url)
  const secrets = bucketSite.context.mediaSecrets
  const bucketEdge = await startNginx({ config: 'edge-cache.conf', site: countingOrigin.host, secrets })
  try {
    for (const file of ['master.m3u8', 'v0/index.m3u8', 'captions/en.vtt', 'thumb.webp']) {
      for (let viewer = 0; viewer < 2; viewer++) {
        const { visitor } = (await buyEpisode(bucketSite)).shopper
        const { link } = await requestPlayback(bucketSite, visitor, 4)
        if (!link) throw new Error('a signed URL was not issued')
        const answer = await fetch(bucketEdge.url + formatMediaLink(link, file), { redirect: 'manual' })
        expect(answer.status).toBe(file.endsWith('.webp') ? 307 : 200)
      }
      expect(
        countingOrigin.requestedPaths.filter((path) => path.endsWith(file)),
        file,
      ).toHaveLength(2)
    }
  } finally {
    await bucketEdge.close()
    await countingOrigin.close()
    await bucketSite.close()
    await store.close()
  }
})

it('serves ranges of cached files', async () => {
  await get(first, 'v0/00000.m4s').then((answer) => answer.text())
  const requestsBefore = origin.requestedPaths.length
  const answer = await get(second, 'v0/00000.m4s', { headers: { range: 'bytes=0-6' } })
  expect([answer.status, await answer.text()]).toEqual([206, 'segment'])
  expect(origin.requestedPaths).toHaveLength(requestsBefore)
})

it.each(files)(
  'refuses cached %s for an altered or expired URL, and for a URL that was signed for another episode or viewer',
  async (file) => {
    await get(first, file).then((answer) => answer.text())
    const { asset, subject } = first
    const signature = signMediaUrl(site.context.mediaSecrets, asset, subject, new Date(Date.now() - 1000))
    const refusedLinks: [MediaLink, number][] = [
      ...tamperedLinks(first).map((link): [MediaLink, number] => [link, 403]),
      [{ ...freeLink, asset }, 403],
      [{ ...first, subject: second.subject }, 403],
      [parseMediaLink(`/media/${signature}/${asset}/`), 410],
    ]
    for (const [link, status] of refusedLinks) {
      const answer = await get(link, file)
      expect([answer.status, await answer.text(), answer.headers.get('cache-control')]).toEqual([
        status,
        '',
        'no-store',
      ])
    }
  },
)

it('does not cache refusals: a missing file is requested again', async () => {
  for (let attempt = 0; attempt < 2; attempt++) expect((await get(first, 'v0/00009.m4s')).status).toBe(404)
  expect(origin.requestedPaths.filter((path) => path.endsWith('00009.m4s'))).toHaveLength(2)
})

it('logs no query, neither of the URL nor of the referrer', async () => {
  await fetch(`${edge.url}/landing?fbclid=click`, { headers: { referer: `${edge.url}/?fbclid=click` } })
  await expect.poll(() => edge.logs()).toContain('"GET /landing HTTP/1.1"')
  expect(edge.logs()).not.toContain('click')
})

it('logs no signature', async () => {
  for (const file of ['key', 'master.m3u8', 'v0/99999.m4s', 'v0', ''])
    await get(first, file).then((answer) => answer.text())
  await fetch(`${edge.url}/logged`)
  await expect.poll(() => edge.logs()).toContain('GET /logged')
  const signature = formatMediaLink(first, '').split('/')[2] ?? ''
  expect(
    edge
      .logs()
      .split('\n')
      .filter((line) => line.includes(signature)),
  ).toEqual([])
})

it('serves at least 99 % of the segment bytes of 200 viewers from the cache, and has no signature in its keys and logs', async () => {
  const { episodes } = await buildVideo(site.context, { episodes: watchedEpisodes })
  const assets = episodes.map(({ assetId }) => assetId ?? '')
  for (const asset of assets)
    for (const file of segments)
      await site.context.storage.write(`media/${asset}/${file}`, 'x'.repeat(segmentBytes))
  const expires = new Date(site.context.clock.now().getTime() + 3_600_000)
  let bytesToViewers = 0
  const watch = async (viewer: string) => {
    for (const asset of assets) {
      const signature = signMediaUrl(site.context.mediaSecrets, asset, viewer, expires)
      for (const file of segments) {
        const answer = await fetch(`${edge.url}/media/${signature}/${asset}/${file}`)
        expect(answer.status).toBe(200)
        bytesToViewers += (await answer.arrayBuffer()).byteLength
      }
    }
  }
  const waiting = Array.from({ length: viewers }, (_, number) => `hit-ratio-viewer-${number}`)
  const watchInTurn = async () => {
    for (let viewer = waiting.pop(); viewer !== undefined; viewer = waiting.pop()) await watch(viewer)
  }
  await Promise.all(Array.from({ length: watchingAtOnce }, watchInTurn))
  const bytesFromSite = origin.bytesSent(new RegExp(`/(${assets.join('|')})/.*\\.m4s$`))
  const hitRatio = 1 - bytesFromSite / bytesToViewers
  console.log(
    `Segments: ${bytesToViewers} bytes to ${viewers} viewers, ${bytesFromSite} of them from the site: ${(100 * hitRatio).toFixed(2)} % from the cache.`,
  )
  expect(bytesToViewers).toBe(viewers * watchedEpisodes * segments.length * segmentBytes)
  expect(hitRatio).toBeGreaterThanOrEqual(0.99)
  const cached = edge.cachedFiles().join('\n')
  for (const asset of assets) expect(cached).toContain(`KEY: ${asset}/${segments[0]}\n`)
  expect(cached).not.toContain('hit-ratio-viewer')
  await fetch(`${edge.url}/after-watching`)
  await expect.poll(() => edge.logs()).toContain('GET /after-watching')
  expect(edge.logs()).not.toContain('hit-ratio-viewer')
})
