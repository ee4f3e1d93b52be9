import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { getUser } from '#contract/members.ts'
import { signMediaUrl } from '#server/features/media/signed-urls.ts'
import { diskRoot } from '#server/testing/media/disk-root.ts'
import {
  tamperedLinks,
  parseMediaLink,
  formatMediaLink,
  type MediaLink,
} from '#server/testing/media/media-links.ts'
import {
  buyEpisode,
  episodeIdOf,
  startBillingSite,
  type BillingSite,
} from '#server/testing/site/billing-site.ts'
import { requestPlayback } from '#server/testing/builders/viewers-by-entitlement.ts'
import type { Visitor } from '#server/testing/site/visitor.ts'
import { rawGet } from '#deploy/testing/raw-get.ts'
import { startNginx, type Nginx } from '#deploy/testing/run-nginx.ts'
import { freePort } from '#server/testing/site/free-port.ts'

const files = [
  'master.m3u8',
  'v0/index.m3u8',
  'v0/init.mp4',
  'v0/00000.m4s',
  'captions/en.vtt',
  'storyboard.vtt',
  'storyboard.jpg',
  'poster.webp',
  'thumb.webp',
]

let site: BillingSite
let nginx: Nginx
/** The same configuration, but its site cannot be reached. */
let nginxWithoutSite: Nginx
let freeLink: MediaLink
let boughtLink: MediaLink

const assetOf = (number: number) => site.video.episodes[number - 1]?.assetId ?? ''
const secrets = () => site.context.mediaSecrets

beforeAll(async () => {
  site = await startBillingSite()
  const storage = diskRoot(site.context.storage)
  const common = { config: 'cliffhanger.conf', storage, secrets: secrets() } as const
  nginx = await startNginx({ ...common, site: new URL(site.url).host })
  nginxWithoutSite = await startNginx({ ...common, site: `127.0.0.1:${await freePort()}` })
  const visitor = site.visitor()
  await visitor.callOk(getUser)
  freeLink = await linkFor(visitor, 1)
  boughtLink = await linkFor((await buyEpisode(site, 4)).shopper.visitor, 4)
})
afterAll(async () => {
  await nginx.close()
  await nginxWithoutSite.close()
  await site.close()
})

async function linkFor(visitor: Visitor, number: number): Promise<MediaLink> {
  const { link } = await requestPlayback(site, visitor, number)
  if (!link) throw new Error(`no signed URL was issued for episode ${number}`)
  return link
}

/** Returns the same URL with a signature that expired an hour ago. */
function expiredLink({ asset, subject }: MediaLink): MediaLink {
  const signature = signMediaUrl(secrets(), asset, subject, new Date(Date.now() - 3_600_000))
  return parseMediaLink(`/media/${signature}/${asset}/`)
}

const compared = [
  'content-type',
  'content-length',
  'content-range',
  'x-content-type-options',
  'referrer-policy',
]

/**
 * Returns the parts of a response that the tests compare. Leaves out the remaining seconds of a signed URL (`max-age`),
 * which may differ by one between two responses, and the nonces of scripts.
 */
async function fetchComparable(url: string, path: string, init: RequestInit = {}) {
  const response = await fetch(url + path, init)
  const headers = Object.fromEntries(compared.map((name) => [name, response.headers.get(name)]))
  const caching = response.headers
    .get('cache-control')
    ?.replace(/max-age=(\d+)/, (match, seconds) => (Number(seconds) < 100_000 ? 'max-age=LEFT' : match))
  const body = (await response.text()).replaceAll(/ nonce="[^"]*"/g, '')
  return { status: response.status, ...headers, caching, body }
}

describe.each(files)('%s', (file) => {
  it.each([
    ['whole', {}, 200],
    ['its first bytes', { headers: { range: 'bytes=0-2' } }, 206],
    ['its last bytes', { headers: { range: 'bytes=-3' } }, 206],
    ['its head', { method: 'HEAD' }, 200],
  ] as const)('%s: nginx responds as the site does', async (_what, init, status) => {
    const path = formatMediaLink(boughtLink, file)
    const answer = await fetchComparable(nginx.url, path, init)
    expect(answer).toEqual(await fetchComparable(site.url, path, init))
    expect(answer.status).toBe(status)
  })

  it('like the site, returns an uncached 416 for a range beyond the file', async () => {
    const path = formatMediaLink(boughtLink, file)
    const init = { headers: { range: 'bytes=9999-' } }
    const { caching, ...answer } = await fetchComparable(nginx.url, path, init)
    const { caching: _caching, ...siteAnswer } = await fetchComparable(site.url, path, init)
    expect(answer).toEqual(siteAnswer)
    expect(answer).toMatchObject({ status: 416, body: '' })
    expect(caching).toMatch(/no-store$/)
  })

  it('is sent without a request to the site', async () => {
    expect((await fetch(nginxWithoutSite.url + formatMediaLink(boughtLink, file))).status).toBe(200)
    expect((await fetch(`${nginxWithoutSite.url}/`)).status).toBe(502)
  })

  it('like the site, returns 403 for an altered URL and for another asset, and 410 for an expired URL', async () => {
    const refusedLinks: [MediaLink, number][] = [
      ...tamperedLinks(boughtLink).map((link): [MediaLink, number] => [link, 403]),
      [{ ...boughtLink, subject: freeLink.subject }, 403],
      [{ ...freeLink, asset: boughtLink.asset }, 403],
      [expiredLink(boughtLink), 410],
      [{ ...expiredLink(freeLink), asset: boughtLink.asset }, 403],
    ]
    for (const [link, status] of refusedLinks) {
      const path = formatMediaLink(link, file)
      const answer = await fetchComparable(nginx.url, path)
      expect(answer, path).toMatchObject({ status, caching: 'no-store', body: '' })
      expect(answer, path).toEqual(await fetchComparable(site.url, path))
    }
  })

  it('is not sent without a signature, under any path', async () => {
    const { asset } = boughtLink
    const open = formatMediaLink(freeLink, '')
    const paths = [
      `/media/${asset}/${file}`,
      `/media//${asset}/${file}`,
      `/media/x/${asset}/${file}`,
      `/media/../media/${asset}/${file}`,
      `/storage/media/${asset}/${file}`,
      `/public/../media/${asset}/${file}`,
      `/public/..%2fmedia%2f${asset}%2f${file}`,
      `/public/covers/../../media/${asset}/${file}`,
      `${open}../${asset}/${file}`,
      `${open}..%2f${asset}/${file}`,
      `${open}v0/../../${asset}/${file}`,
      `${open}%2e%2e/${asset}/${file}`,
      `${open}..%5c${asset}/${file}`,
      `${open}/${asset}/../../${asset}/${file}`,
      `${open.replace(/\/$/, `%2f..%2f${asset}`)}/${file}`,
    ]
    for (const path of paths) {
      const { status, text } = await rawGet(nginx.url, path)
      expect([400, 403, 404], path).toContain(status)
      expect(text, path).not.toMatch(/EXTM3U|WEBVTT|segment|init-|storyboard$|poster$|thumb$/)
    }
  })
})

it('returns 404 for a missing file, a folder, a hidden file and a secret beside the storage, as the site does', async () => {
  const paths = [
    'v0/99999.m4s',
    'v0',
    'v0/',
    '',
    '.hidden.vtt',
    'v0/.hidden.m4s',
    'app-secret',
    'master.m3u8/x.vtt',
  ]
  await site.context.storage.write(`media/${assetOf(4)}/.hidden.vtt`, 'WEBVTT hidden')
  for (const path of paths.map((file) => formatMediaLink(boughtLink, file))) {
    const answer = await fetchComparable(nginx.url, path)
    expect(answer, path).toMatchObject({ status: 404, caching: 'no-store' })
    expect(answer, path).toEqual(await fetchComparable(site.url, path))
  }
  for (const path of ['../../../../app-secret', '..%2f..%2f..%2f..%2fapp-secret', '../../../app-secret.vtt'])
    expect([400, 403, 404], path).toContain(
      (await rawGet(nginx.url, formatMediaLink(boughtLink, path))).status,
    )
})

it('nginx requests the key of an encrypted asset from the site, and never reads the key itself', async () => {
  const { db, mediaKeys } = site.context
  const media_key = mediaKeys.encrypt(boughtLink.asset, Buffer.from('sixteen bytes ok'))
  await db.updateTable('assets').set({ media_key }).where('id', '=', boughtLink.asset).execute()
  const answer = await fetchComparable(nginx.url, formatMediaLink(boughtLink, 'key'))
  expect(answer).toMatchObject({ status: 200, caching: 'no-store', body: 'sixteen bytes ok' })
  expect(answer).toEqual(await fetchComparable(site.url, formatMediaLink(boughtLink, 'key')))
  for (const link of [...tamperedLinks(boughtLink), { ...freeLink, asset: boughtLink.asset }])
    expect((await fetchComparable(nginx.url, formatMediaLink(link, 'key'))).status).toBe(403)
  expect((await fetchComparable(nginxWithoutSite.url, formatMediaLink(boughtLink, 'key'))).status).toBe(502)
})

it('logs no signature, whatever the request and its result', async () => {
  const before = nginx.logs().length
  for (const file of ['key', 'master.m3u8', 'v0/99999.m4s', 'v0', '', '..%2fx'])
    await rawGet(nginx.url, formatMediaLink(boughtLink, file))
  await fetch(nginx.url + formatMediaLink(boughtLink, 'v0/00000.m4s'), { method: 'POST' })
  await fetch(`${nginx.url}/logged`)
  await expect.poll(() => nginx.logs().slice(before)).toContain('GET /logged')
  const lines = nginx.logs().slice(before).split('\n')
  expect(lines.filter((line) => line.includes(boughtLink.subject))).toEqual([])
})

it('logs no query, neither of the URL nor of the referrer', async () => {
  await fetch(`${nginx.url}/landing?fbclid=click`, { headers: { referer: `${nginx.url}/?fbclid=click` } })
  await expect.poll(() => nginx.logs()).toContain('"GET /landing HTTP/1.1"')
  expect(nginx.logs()).not.toContain('click')
})

it('passes methods other than GET to the site', async () => {
  const path = formatMediaLink(boughtLink, 'master.m3u8')
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' }
  expect(await fetchComparable(nginx.url, path, init)).toEqual(await fetchComparable(site.url, path, init))
})

it('does not resend a file that a browser has cached', async () => {
  const url = nginx.url + formatMediaLink(boughtLink, 'v0/00000.m4s')
  const first = await fetch(url)
  await first.text()
  const second = await fetch(url, { headers: { 'if-none-match': first.headers.get('etag') ?? '' } })
  expect(second.status).toBe(304)
})

it('blurred stills are public and cached permanently; the site serves everything else', async () => {
  const stillPath = `/public/${assetOf(4)}/still.webp`
  expect(await fetchComparable(nginx.url, stillPath)).toEqual(await fetchComparable(site.url, stillPath))
  expect((await fetchComparable(nginxWithoutSite.url, stillPath)).status).toBe(200)
  // Uncompressed, because the compressed length of a page depends on its nonces.
  const init = { headers: { 'accept-encoding': 'identity' } }
  for (const path of [
    '/public/none.webp',
    '/public/',
    '/public',
    `/api/video/episode?episode_id=${episodeIdOf(site)}`,
  ])
    expect(await fetchComparable(nginx.url, path, init), path).toEqual(
      await fetchComparable(site.url, path, init),
    )
})

it('accepts URLs of the old secret during a rotation, and refuses them afterwards', async () => {
  const file = 'v0/00000.m4s'
  const status = async () => (await fetch(nginxWithoutSite.url + formatMediaLink(boughtLink, file))).status
  await nginxWithoutSite.changeSecrets(['a new secret of links to media, long enough', ...secrets()])
  expect(await status()).toBe(200)
  await nginxWithoutSite.changeSecrets(['a new secret of links to media, long enough'])
  expect(await status()).toBe(403)
  await nginxWithoutSite.changeSecrets(secrets())
  expect(await status()).toBe(200)
})

it.each([[[]], [{}], [null], ['secret'], [['s']], [[1]]])(
  'sends nothing if the secrets are %j',
  async (invalidSecrets) => {
    await nginxWithoutSite.changeSecrets(invalidSecrets)
    const signature = signMediaUrl(['s'], boughtLink.asset, boughtLink.subject, new Date(Date.now() + 60_000))
    const linkWithShortSecret = parseMediaLink(`/media/${signature}/${boughtLink.asset}/`)
    for (const link of [boughtLink, linkWithShortSecret, ...tamperedLinks(boughtLink)])
      expect((await fetch(nginxWithoutSite.url + formatMediaLink(link, 'v0/00000.m4s'))).status).toBe(403)
    await nginxWithoutSite.changeSecrets(secrets())
  },
)
