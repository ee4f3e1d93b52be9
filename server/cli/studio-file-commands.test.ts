import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { showIcon } from '#contract/studio/site-icon.ts'
import { listAuditEvents } from '#contract/studio/operators.ts'
import { getStudioVideo } from '#contract/studio/videos.ts'
import { runStudioCommand } from './studio-command.ts'
import { buildVideo } from '#server/testing/builders/video-builders.ts'
import { signInOperator, type TestOperator } from '#server/testing/builders/operator.ts'
import { startTestSite, type TestSite } from '#server/testing/site/test-site.ts'

const folder = mkdtempSync(join(tmpdir(), 'cliffhanger-pictures-'))
const picture = join(folder, 'picture.png')
const text = join(folder, 'text.png')
let site: TestSite
let owner: TestOperator

beforeAll(async () => {
  site = await startTestSite()
  owner = await signInOperator(site, 'owner')
  await sharp({ create: { width: 600, height: 600, channels: 3, background: '#0a0' } }).toFile(picture)
  writeFileSync(text, 'no picture')
})
afterAll(async () => {
  await site.close()
  rmSync(folder, { recursive: true })
})

const run = (...args: string[]) => runStudioCommand(site.context, args)

it('uploads a cover from a file, and records it in the audit log', async () => {
  const { id } = await buildVideo(site.context)
  const { cover_url } = JSON.parse(await run('video', 'set-cover', id, picture, '--json')) as {
    cover_url: string
  }
  expect((await owner.studio.callOk(getStudioVideo, { query: { id } })).cover_url).toBe(cover_url)
  const { list } = await owner.studio.callOk(listAuditEvents, { query: { subject: id } })
  expect(list).toMatchObject([{ event: 'studio video set-cover', operator: null }])
})

it('uploads an icon from a file, which is shown until it is removed', async () => {
  expect(await run('icon', 'change', picture)).toMatch(/custom: true/)
  // The request may reach another process, which is notified of the change a moment later.
  await expect.poll(() => owner.studio.callOk(showIcon)).toMatchObject({ custom: true })
  expect(await run('icon', 'remove')).toMatch(/custom: false/)
})

it('refuses a file that is no image, a missing file, an unknown video or wrong arguments; it says why, and changes nothing', async () => {
  const { id } = await buildVideo(site.context)
  await expect(run('video', 'set-cover', id, text)).rejects.toThrow(/image/)
  await expect(run('video', 'set-cover', 'vid_none', picture)).rejects.toThrow(/Not found/)
  await expect(run('video', 'set-cover', id, join(folder, 'none.png'))).rejects.toThrow(/There is no file/)
  await expect(run('video', 'set-cover', id)).rejects.toThrow(/missing required argument 'file'/)
  await expect(run('icon', 'change', picture, 'more')).rejects.toThrow(/too many arguments/)
  expect(await run('video', 'set-cover', '--help')).toContain('video set-cover [options] <id> <file>')
  const { list } = await owner.studio.callOk(listAuditEvents, { query: { subject: id } })
  expect(list).toEqual([])
})
