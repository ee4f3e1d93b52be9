import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { getHomepage } from '#contract/catalog.ts'
import { iconPath, removeIcon, showIcon, type SiteIcon } from '#contract/studio/site-icon.ts'
import { listAuditEvents } from '#contract/studio/operators.ts'
import { signInOperator } from '#server/testing/builders/operator.ts'
import { startTestSite, type TestSite } from '#server/testing/site/test-site.ts'
import type { Envelope, Visitor } from '#server/testing/site/visitor.ts'

let site: TestSite
let studio: Visitor
beforeAll(async () => {
  site = await startTestSite()
  studio = (await signInOperator(site, 'editor')).studio
})
afterAll(() => site.close())

const picture = (width: number, height: number, background = '#00f') =>
  sharp({ create: { width, height, channels: 3, background } })
const send = async (bytes: Buffer, by = studio) => {
  const headers = { 'content-type': 'application/octet-stream' }
  const answer = await by.fetch(iconPath, { method: 'POST', headers, body: new Uint8Array(bytes) })
  return (await answer.json()) as Envelope<SiteIcon>
}
const open = async (path: string) => (await site.visitor().fetch(path)).text()

/** Reads a path until every process has the new icon. */
async function readFromEveryProcess(path: string, isNew: (text: string) => boolean): Promise<string> {
  let texts: string[] = []
  const areNew = async () => {
    texts = await Promise.all([1, 2, 3, 4].map(() => open(path)))
    return texts.every(isNew)
  }
  await expect.poll(areNew).toBe(true)
  return texts[0] ?? ''
}

describe('an uploaded icon', () => {
  it('is in pages, manifest and browser tab under its content hash, in every size, until it is reset', async () => {
    const usual = await studio.callOk(showIcon)
    const { info } = await send(await picture(600, 600).png().toBuffer())
    expect(info).toEqual({
      custom: true,
      address: expect.stringMatching(/^\/icons\/[0-9a-f]{12}\/192\.png$/),
    })
    const address = info?.address ?? ''
    const hash = address.split('/')[2] ?? ''
    const html = await readFromEveryProcess('/', (text) =>
      text.includes(`<link rel="icon" href="${address}">`),
    )
    expect(html).toContain(`<link rel="apple-touch-icon" href="/icons/${hash}/apple.png">`)
    expect(html).toContain(`"logo":"${address}"`)
    const manifest = JSON.parse(await open('/manifest.webmanifest')) as { icons: { src: string }[] }
    expect(new Set(manifest.icons.map(({ src }) => src.split('/')[2]))).toEqual(new Set([hash]))
    for (const [name, side] of [
      ['192.png', 192],
      ['512.png', 512],
      ['maskable.png', 512],
      ['apple.png', 180],
    ]) {
      const answer = await site.visitor().fetch(`/icons/${hash}/${name}`)
      expect(answer.headers.get('cache-control')).toContain('immutable')
      const drawn = sharp(Buffer.from(await answer.arrayBuffer()))
      expect(await drawn.metadata()).toMatchObject({ width: side, height: side, format: 'png' })
      expect((await drawn.stats()).dominant.b).toBeGreaterThan(200)
    }
    // The homepage may be cached for a second.
    const tab = async () => (await site.visitor().callOk(getHomepage)).copyright.icon
    await expect.poll(tab).toBe(address)

    expect(await studio.callOk(removeIcon, { body: {} })).toEqual(usual)
    await readFromEveryProcess('/', (text) => !text.includes(hash))
    expect((await site.visitor().fetch(address)).status).toBe(404)
    const { list } = await (await signInOperator(site, 'owner')).studio.callOk(listAuditEvents)
    expect(list.filter(({ event }) => event.startsWith('studio icon')).map(({ event }) => event)).toEqual([
      'studio icon remove',
      'studio icon remove',
      'studio icon change',
    ])
  })

  it('gives the service worker a new release, so that its stored files have the new icon', async () => {
    const before = await open('/sw.js')
    await send(await picture(512, 512, '#f00').jpeg().toBuffer())
    await readFromEveryProcess('/sw.js', (text) => text !== before)
    const first = await studio.callOk(showIcon)
    await send(await picture(512, 512, '#0f0').webp().toBuffer())
    await expect.poll(async () => (await studio.callOk(showIcon)).address).not.toBe(first.address)
  })

  it.each([
    ['no picture', async () => Buffer.from('GIF89a, or so it says')],
    ['too small', () => picture(511, 511).png().toBuffer()],
    ['not square', () => picture(600, 700).png().toBuffer()],
    [
      'a drawing',
      async () => Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="600" height="600"/>'),
    ],
    ['cut off', async () => (await picture(600, 600).jpeg().toBuffer()).subarray(0, 900)],
  ])('is refused if it is %s, and the previous icon remains', async (_what, make) => {
    const before = await studio.callOk(showIcon)
    expect((await send(await make())).code).toBe(500)
    expect(await studio.callOk(showIcon)).toEqual(before)
  })

  it('is accepted only from owners and editors', async () => {
    const bytes = await picture(600, 600).png().toBuffer()
    expect((await send(bytes, (await signInOperator(site, 'support')).studio)).code).toBe(403)
    expect((await send(bytes, site.visitor())).code).not.toBe(200)
  })
})
