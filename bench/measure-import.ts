import { spawnSync } from 'node:child_process'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { buildFfmpegArgs } from '#server/features/media/ingest/build-ffmpeg-args.ts'
import { planLadder } from '#server/features/media/ingest/plan-ladder.ts'
import { probe } from '#server/features/media/ingest/probe.ts'
import { median } from './load.ts'
import { makeBenchContent } from './make-bench-content.ts'
import { benchEnv, importFolder, type BenchSite } from './start-bench-site.ts'
import { atMost, type Row } from './table.ts'

const aim = 1.1
const rounds = 2
/** A short episode of a commercial drama; starting the import and its book-keeping take about a second and a half of it. */
const content = { episodes: 2, seconds: 60 }

/**
 * A folder through the import command, against ffmpeg alone with the same arguments on the same files, one after another and
 * just as modest. The data directory has its database already; starting that, and all of the import's book-keeping, count as ours.
 */
export async function measureImport({ home, ffmpeg }: BenchSite): Promise<Row[]> {
  const env = benchEnv(join(home, 'import'))
  const make = (slug: string, size: typeof content) => {
    const folder = join(home, slug)
    return { folder, files: makeBenchContent(folder, slug, ffmpeg.ffmpegPath, size) }
  }
  importFolder(make('first', { episodes: 1, seconds: 1 }).folder, env)
  const ours: number[] = []
  const bare: number[] = []
  for (let round = 0; round < rounds; round++) {
    const { folder, files } = make(`round-${round}`, content)
    const measures = [
      async () => ours.push(importFolder(folder, env)),
      async () => bare.push(await convertAll(files)),
    ]
    // By turns the first and the second, so that what warms up favours neither.
    for (const measure of round % 2 ? measures.toReversed() : measures) await measure()
  }
  const what = `import of ${content.episodes} × ${content.seconds} s`
  return [atMost(what, median(ours), median(bare), aim)]

  async function convertAll(files: readonly string[]): Promise<number> {
    let ms = 0
    for (const file of files) ms += await convert(file)
    return ms
  }

  async function convert(input: string): Promise<number> {
    const source = await probe(ffmpeg.ffprobePath, input)
    const plan = planLadder(source)
    const folder = join(home, 'bare-ffmpeg')
    for (const name of [...plan.rungs.map((_, index) => `v${index}`), 'a'])
      mkdirSync(join(folder, name), { recursive: true })
    const args = buildFfmpegArgs({ ...source, input, gain: undefined, plan })
    const started = performance.now()
    const { status } = spawnSync('nice', ['-n', '5', ffmpeg.ffmpegPath, ...args], {
      cwd: folder,
      stdio: 'ignore',
    })
    if (status !== 0) throw new Error(`ffmpeg alone could not convert ${input}`)
    const ms = performance.now() - started
    rmSync(folder, { recursive: true })
    return ms
  }
}
