import { createDecipheriv } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { getUser } from '#contract/members.ts'
import { getEpisode, type PlayableEpisode } from '#contract/media.ts'
import { diskRoot } from '#server/testing/media/disk-root.ts'
import { makeTestVideo } from '#server/testing/media/test-media.ts'
import { ingestContextOf } from '#server/testing/media/ingest-context.ts'
import { startTestSite, type TestSite } from '#server/testing/site/test-site.ts'
import { importFolder } from '#server/features/media/ingest/import/import-folder.ts'
import { parsePlaylist } from './playlists.ts'

const description = `title: { en: Salt }
synopsis: { en: Two sisters. }
category: family-drama
tags: [sea, sisters]
free_episodes: 1
price: { currency: USD, episode_cents: 99, video_cents: 999 }
`

let root: string
let site: TestSite

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'cliffhanger-encrypted-'))
  site = await startTestSite({}, { MEDIA_ENCRYPTION: 'aes-128' })
  const folder = join(root, 'a-secret')
  mkdirSync(folder)
  writeFileSync(join(folder, 'video.yaml'), description)
  makeTestVideo(join(folder, '01.mp4'), { seconds: 4 })
  await importFolder(ingestContextOf(site.context), folder, {
    signal: new AbortController().signal,
    niceness: 0,
    onProgress: () => {},
  })
})
afterAll(async () => {
  await site.close()
  rmSync(root, { recursive: true, force: true })
})

async function play() {
  const visitor = site.visitor()
  await visitor.callOk(getUser)
  const { id } = await site.context.db.selectFrom('episodes').select('id').executeTakeFirstOrThrow()
  const { playback } = (await visitor.callOk(getEpisode, { query: { episode_id: id } })) as PlayableEpisode
  const bytes = async (file: string) => {
    const response = await visitor.fetch(playback.hls_url.replace('master.m3u8', file))
    return Buffer.from(await response.arrayBuffer())
  }
  return { bytes, playback, asset: playback.hls_url.split('/').at(-2) ?? '' }
}

test.each(['v0', 'a'])(
  'the segments of %s are encrypted with the key that their playlist names',
  async (folder) => {
    const { bytes } = await play()
    const playlist = (await bytes(`${folder}/index.m3u8`)).toString()
    const [, uri = ''] =
      /^#EXT-X-MAP:URI="init.mp4"\n#EXT-X-KEY:METHOD=AES-128,URI="(.*)"$/m.exec(playlist) ?? []
    const key = await bytes(join(folder, uri))
    expect(key).toHaveLength(16)
    const segments = parsePlaylist(playlist)
    expect(segments.length).toBeGreaterThan(1)
    // A wrong IV changes only the first sixteen bytes of a decrypted segment. Bytes 8 to 15 are compared, because they
    // are the same in every segment.
    const heads = new Set<string>()
    for (const [number, { uri: file }] of segments.entries()) {
      const encrypted = await bytes(`${folder}/${file}`)
      expect(encrypted.includes('mdat')).toBe(false)
      const iv = Buffer.from(number.toString(16).padStart(32, '0'), 'hex')
      const opening = createDecipheriv('aes-128-cbc', key, iv)
      const clear = Buffer.concat([opening.update(encrypted), opening.final()])
      expect(clear.includes('moof') && clear.includes('mdat')).toBe(true)
      heads.add(clear.toString('hex', 8, 16))
    }
    expect(heads.size).toBe(1)
    expect((await bytes(`${folder}/init.mp4`)).includes('moov')).toBe(true)
  },
)

test('the playback response states that the media is encrypted', async () => {
  expect((await play()).playback.encrypted).toBe(true)
})

test('the key is not stored beside the segments, and is stored in the database only encrypted for this asset', async () => {
  const { bytes, asset } = await play()
  const key = await bytes('key')
  const files = readdirSync(diskRoot(site.context.storage), { recursive: true, withFileTypes: true })
  for (const file of files.filter((entry) => entry.isFile())) {
    const content = readFileSync(join(file.parentPath, file.name))
    for (const form of [key, key.toString('hex'), key.toString('base64')])
      expect(content.includes(form), file.name).toBe(false)
  }
  const row = await site.context.db.selectFrom('assets').select('media_key').executeTakeFirstOrThrow()
  expect(row.media_key?.includes(key)).toBe(false)
  const open = (of: string) => site.context.mediaKeys.decrypt(of, row.media_key ?? Buffer.alloc(0))
  expect(open(asset)).toEqual(key)
  expect(() => open('ast_another')).toThrow()
})
