import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { getHomepage } from '#contract/catalog.ts'
import { startTestSite, type TestSite } from '#server/testing/site/test-site.ts'

const home = mkdtempSync(join(tmpdir(), 'cliffhanger-logo-'))
const logo = join(home, 'logo.svg')
const broken = join(home, 'logo.png')
writeFileSync(
  logo,
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 2000 1000"><circle cx="1000" cy="500" r="400" fill="#00f"/></svg>',
)
writeFileSync(broken, 'no picture')

let site: TestSite
let plain: TestSite
beforeAll(async () => {
  site = await startTestSite({}, { SITE_NAME: 'Drama & Rama', SITE_LOGO_PATH: logo })
  plain = await startTestSite({}, { SITE_LOGO_PATH: broken })
})
afterAll(async () => {
  await Promise.all([site.close(), plain.close()])
  rmSync(home, { recursive: true })
})

const open = (path: string, at = site, headers = {}) => at.visitor(headers).fetch(path)
const manifest = async (at = site, headers = {}) => {
  const answer = await open('/manifest.webmanifest', at, headers)
  return (await answer.json()) as { name: string; lang: string; icons: { src: string; sizes: string }[] }
}
const pixelOf = async (picture: Buffer, left: number, top: number) => [
  ...(await sharp(picture).ensureAlpha().extract({ left, top, width: 1, height: 1 }).raw().toBuffer()),
]
const read = async (path: string, at = site) => Buffer.from(await (await open(path, at)).arrayBuffer())

describe('the manifest', () => {
  it("has the site's name, the colours of its pages and the language of the request", async () => {
    const answer = await open('/manifest.webmanifest', site, { 'accept-language': 'de' })
    expect(answer.headers.get('content-type')).toBe('application/manifest+json; charset=utf-8')
    expect(answer.headers.get('vary')).toBe('accept-language')
    expect(await answer.json()).toMatchObject({
      id: '/',
      name: 'Drama & Rama',
      start_url: '/',
      display: 'standalone',
      lang: 'de',
      background_color: '#120e0c',
      theme_color: '#120e0c',
    })
  })

  it('names icons that exist in the stated sizes and are cached permanently under their content hash', async () => {
    const { icons } = await manifest()
    expect(icons.map(({ sizes }) => sizes)).toEqual(['192x192', '512x512', '512x512'])
    for (const { src, sizes } of icons) {
      const answer = await open(src)
      expect(answer.headers.get('cache-control')).toContain('immutable')
      const { width, height, format } = await sharp(Buffer.from(await answer.arrayBuffer())).metadata()
      expect([`${width}x${height}`, format]).toEqual([sizes, 'png'])
    }
    const old = icons[0]?.src.replace(/[0-9a-f]{12}/, '000000000000')
    expect((await open(`${old}`)).status).toBe(404)
    expect((await open(`${icons[0]?.src.replace('192.png', '..%2F192.png')}`)).status).toBe(404)
    expect((await open(`${icons[0]?.src.replace('192.png', 'constructor')}`)).status).toBe(404)
  })
})

it("icons show the operator's logo, on a transparent background or, for a maskable icon, on the page colour", async () => {
  const { icons } = await manifest()
  const [, large, maskable] = await Promise.all(icons.map(({ src }) => read(src)))
  if (!large || !maskable) throw new Error('icons are missing')
  expect(await pixelOf(large, 256, 256)).toEqual([0, 0, 255, 255])
  expect(await pixelOf(large, 2, 2)).toEqual([0, 0, 0, 0])
  expect(await pixelOf(maskable, 256, 256)).toEqual([0, 0, 255, 255])
  expect(await pixelOf(maskable, 2, 2)).toEqual([0x12, 0x0e, 0x0c, 255])
})

it('icons show the built-in logo if the operator’s file is not an image', async () => {
  const { icons } = await manifest(plain)
  const picture = await read(`${icons[0]?.src}`, plain)
  expect(await pixelOf(picture, 96, 96)).toEqual([0, 0, 0, 255])
})

it('every document and the homepage have the site’s name and logo', async () => {
  for (const path of ['/', '/shopping', '/order/easy', '/nowhere']) {
    const html = await (await open(path)).text()
    expect(html, path).toMatch(/<title>.*Drama &#38; Rama<\/title>/)
    expect(html, path).toMatch(/<link rel="icon" href="\/icons\/[0-9a-f]{12}\/192\.png">/)
    expect(html, path).toContain('<link rel="manifest" href="/manifest.webmanifest">')
    expect(html, path).not.toContain('Cliffhanger')
  }
  const { answer } = await site.visitor().call(getHomepage)
  expect(answer.info?.copyright).toEqual({
    text: '© Drama & Rama',
    icon: expect.stringMatching(/^\/icons\/[0-9a-f]{12}\/192\.png$/),
  })
})

describe('the service worker', () => {
  it('is revalidated each time, with status 304 if it is unchanged', async () => {
    const first = await open('/sw.js')
    expect(first.headers.get('cache-control')).toBe('no-cache')
    expect(first.headers.get('content-type')).toContain('text/javascript')
    const again = await open('/sw.js', site, { 'if-none-match': `${first.headers.get('etag')}` })
    expect(again.status).toBe(304)
  })

  it('changes with the settings', async () => {
    const [one, other] = await Promise.all([site, plain].map(async (at) => (await open('/sw.js', at)).text()))
    expect(one).toMatch(/release = '[0-9a-f]{16}'/)
    expect(one).not.toBe(other)
  })

  it('can store an offline page that has no personal data, is marked as offline and is not indexed', async () => {
    const html = await (await open('/offline')).text()
    expect(html).toContain('<meta name="offline">')
    expect(html).toContain('<meta name="robots" content="noindex">')
    expect(html).not.toContain('id="boot"')
    expect(await (await open('/')).text()).not.toContain('name="offline"')
  })
})
