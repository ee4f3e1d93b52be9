import { spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { dramas, renderEpisode, writeDramaFolder, type Drama } from '#demo/catalogue.ts'
import { runFfmpeg } from '#demo/run-ffmpeg.ts'

const signal = new AbortController().signal
const node = process.execPath // Replaces ffmpeg to simulate a failure or a hang.

describe('running ffmpeg', () => {
  it('rejects with the last output of ffmpeg when ffmpeg fails', async () => {
    await expect(
      runFfmpeg(['-e', "console.error('no such filter'); process.exit(3)"], { ffmpegPath: node, signal }),
    ).rejects.toThrow(/ended with 3: no such filter/)
  })

  it('rejects with the name of a missing program', async () => {
    await expect(runFfmpeg([], { ffmpegPath: '/nowhere/ffmpeg', signal })).rejects.toThrow(
      /\/nowhere\/ffmpeg could not be run/,
    )
  })

  it('times out', async () => {
    await expect(
      runFfmpeg(['-e', 'setInterval(() => {}, 1000)'], { ffmpegPath: node, signal, timeout: 50 }),
    ).rejects.toThrow(/timeout/)
  })

  it('keeps the lower priority of a process that runs with nice, because only root may raise it', () => {
    const getPriority = 'process.exit(os.getPriority() === 19 ? 0 : 3)'
    const script = `
      const { runFfmpeg } = await import(${JSON.stringify(join(import.meta.dirname, 'run-ffmpeg.ts'))})
      const { signal } = new AbortController()
      await runFfmpeg(['-e', '${getPriority}'], { ffmpegPath: process.execPath, signal, niceness: 10 })`
    const { status, stderr } = spawnSync('nice', ['-n', '19', node, '--input-type=module', '-e', script], {
      encoding: 'utf8',
    })
    expect(status, stderr).toBe(0)
  })

  it('kills the child and rejects with the reason when aborted', async () => {
    const controller = new AbortController()
    const run = runFfmpeg(['-e', 'setInterval(() => {}, 1000)'], {
      ffmpegPath: node,
      signal: controller.signal,
    })
    controller.abort(new Error('shutting down'))
    await expect(run).rejects.toThrow('shutting down')
  })
})

describe("a drama's folder", () => {
  const drama = dramas[0] as Drama // The test of the catalogue checks that there are dramas.
  let outDir: string
  beforeEach(async () => void (outDir = await mkdtemp(join(tmpdir(), 'demo-'))))
  afterEach(() => rm(outDir, { recursive: true }))

  it('contains the description, the cover and thirty caption files', async () => {
    await writeDramaFolder(drama, outDir)
    const files = await readdir(join(outDir, drama.slug))
    expect(files.filter((file) => file.endsWith('.vtt'))).toHaveLength(30)
    expect(files).toEqual(expect.arrayContaining(['cover.jpg', 'video.yaml']))
    const description: unknown = parse(await readFile(join(outDir, drama.slug, 'video.yaml'), 'utf8'))
    expect(description).toMatchObject({
      title: drama.title,
      free_episodes: 3,
      price: { currency: 'USD', episode_cents: 99, video_cents: 249 },
    })
  })

  it('contains no complete or partial video when ffmpeg fails', async () => {
    await expect(renderEpisode({ drama, number: 1, outDir, ffmpegPath: node, signal })).rejects.toThrow(
      /ended with/,
    )
    expect(await readdir(join(outDir, drama.slug))).toEqual([])
  })

  it('keeps an existing video', async () => {
    await mkdir(join(outDir, drama.slug))
    await writeFile(join(outDir, drama.slug, '02.mp4'), 'made before')
    await renderEpisode({ drama, number: 2, outDir, ffmpegPath: '/nowhere/ffmpeg', signal })
    expect(await readFile(join(outDir, drama.slug, '02.mp4'), 'utf8')).toBe('made before')
  })

  it('rejects an unknown episode', async () => {
    await expect(renderEpisode({ drama, number: 7, outDir, ffmpegPath: node, signal })).rejects.toThrow(
      /has no episode 7/,
    )
  })
})
