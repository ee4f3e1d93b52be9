import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createLog } from '#server/platform/log.ts'
import { createSiteIcons } from './site-icons.ts'

let webRoot: string
beforeAll(() => {
  webRoot = mkdtempSync(join(tmpdir(), 'site-icons-'))
  writeFileSync(join(webRoot, 'favicon.svg'), square('#00f'))
})
afterAll(() => rmSync(webRoot, { recursive: true, force: true }))

const square = (color: string) =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9" fill="${color}"/></svg>`

/** Creates the icons of a site with an uploaded logo. Returns a function that draws one icon, and the logged lines. */
function uploadedLogo(load: () => Promise<Buffer | undefined>) {
  const logLines: string[] = []
  const log = createLog({
    json: true,
    level: 'error',
    destination: { write: (line: string) => void logLines.push(line) },
  })
  const uploaded = { hash: () => 'abc', load, refresh: async () => {} }
  const icons = createSiteIcons({ logo: undefined, uploaded, webRoot, background: () => '#000', log })
  const [, , hash = '', name = ''] = icons.address('192.png').split('/')
  return { draw: () => icons.draw(hash, name), logLines }
}

async function colorOf(icon: Buffer | undefined): Promise<number[]> {
  const { dominant } = await sharp(icon).stats()
  return [dominant.r, dominant.g, dominant.b].map((value) => Math.round(value / 255))
}

test('an uploaded logo that could not be loaded is loaded again by the next request', async () => {
  let loads = 0
  const { draw } = uploadedLogo(async () => {
    loads += 1
    if (loads === 1) throw new Error('the database is away')
    return Buffer.from(square('#f00'))
  })
  await expect(draw()).rejects.toThrow('the database is away')
  expect(await colorOf(await draw())).toEqual([1, 0, 0])
  await draw()
  expect(loads).toBe(2)
})

test('an unusable uploaded logo is reported in the log, and replaced by the built-in logo', async () => {
  const { draw, logLines } = uploadedLogo(async () => Buffer.from('no image'))
  expect(await colorOf(await draw())).toEqual([0, 0, 1])
  expect(logLines.join()).toContain('The uploaded logo is unusable')
})
