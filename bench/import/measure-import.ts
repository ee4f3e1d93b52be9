import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, rmSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { boundToUs } from '#scripts/run-child.mjs'
import { buildFfmpegArgs } from '#server/features/media/ingest/plan/build-ffmpeg-args.ts'
import { planLadder } from '#server/features/media/ingest/plan/plan-ladder.ts'
import { probe } from '#server/features/media/ingest/convert/probe.ts'
import { median } from '#bench/http/compare-load.ts'
import { makeBenchContent } from '#bench/site/make-bench-content.ts'
import { benchEnv, importFolder, type BenchSite } from '#bench/site/start-bench-site.ts'
import { atMost, type Row } from '#bench/result-table.ts'

const target = 1.1
const rounds = 2
/**
 * Short episodes of a commercial drama. The start of the import and its database writes take about one and a half
 * seconds of the total.
 */
const content = { episodes: 2, seconds: 60 }

/**
 * Measures how much longer the import of a folder takes than ffmpeg alone, which converts the same files to the same
 * renditions, one file after the other, at the same low priority. The database is created before the measurement, but
 * the time to start the database and to write to it counts as part of the import.
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
    // Alternates the order, because the second measurement of a round profits from a machine that is warmed up.
    for (const measure of round % 2 ? measures.toReversed() : measures) await measure()
  }
  const what = `import of ${content.episodes} × ${content.seconds} s`
  return [atMost(what, median(ours), median(bare), target)]

  async function convertAll(files: readonly string[]): Promise<number> {
    let ms = 0
    for (const file of files) ms += await convertBare(ffmpeg, join(home, 'bare-ffmpeg'), file)
    return ms
  }
}

const longAim = 1.05
const long = { episodes: 1, seconds: 60, size: '1080x1920', times: 10 }
const shared = { episodes: 4, seconds: 30 }
/**
 * Maximum ratio of the time with two workers to the time with one. One ffmpeg uses about two cores, so on four cores a
 * second worker almost halves the time.
 */
const sharedAim = availableParallelism() >= 4 ? 0.6 : 1.05
const headStartMs = 2000

/**
 * Measures how much longer the import of ten minutes of 1080 × 1920 takes than ffmpeg alone. Also compares the import
 * of a folder by two workers with the import by one worker.
 */
export async function measureLongImport({ home, ffmpeg }: BenchSite): Promise<Row[]> {
  const env = benchEnv(join(home, 'import-long'))
  const make = (slug: string, size: typeof long | typeof shared) => {
    const folder = join(home, slug)
    return { folder, files: makeBenchContent(folder, slug, ffmpeg.ffmpegPath, size) }
  }
  importFolder(make('long-first', { episodes: 1, seconds: 1 }).folder, env)
  const { folder, files } = make('long', long)
  const ours = importFolder(folder, env)
  const bare = await convertBare(ffmpeg, join(home, 'bare-long'), files[0] ?? '')
  const alone = importFolder(make('alone', shared).folder, env)
  const together = await importTogether(make('together', shared).folder, env)
  const cores = `${availableParallelism()} cores`
  return [
    atMost('import of ten minutes of 1080 × 1920', ours, bare, longAim),
    atMost(`two workers against one, ${cores}`, together, alone, sharedAim),
  ]
}

/** Imports a folder with two workers. The second starts after the first has queued the folder. */
async function importTogether(folder: string, env: NodeJS.ProcessEnv): Promise<number> {
  const started = performance.now()
  const begin = async () => {
    const args = ['server/cli.ts', 'import', '--new-site', folder]
    const worker = spawn(...boundToUs(process.execPath, args), { env, stdio: 'ignore' })
    const [status] = (await once(worker, 'exit')) as [number | null]
    if (status !== 0) throw new Error('A folder could not be imported by two workers')
  }
  await Promise.all([begin(), delay(headStartMs).then(begin)])
  return performance.now() - started
}

async function convertBare(ffmpeg: BenchSite['ffmpeg'], folder: string, input: string): Promise<number> {
  const source = await probe(ffmpeg.ffprobePath, input)
  const plan = planLadder(source)
  for (const name of [...plan.renditions.map((_, index) => `v${index}`), 'a'])
    mkdirSync(join(folder, name), { recursive: true })
  const { container, soundIndex: index, duration: lastPicture } = source
  const sound = index === undefined ? undefined : { input, container, index }
  const args = buildFfmpegArgs({
    ...source,
    lastPicture,
    input,
    sound,
    gain: undefined,
    plan,
    clockJump: undefined,
    aacRateChanges: false,
    pictureDelay: 0,
  })
  const started = performance.now()
  const { status } = spawnSync(...boundToUs('nice', ['-n', '5', ffmpeg.ffmpegPath, ...args]), {
    cwd: folder,
    stdio: 'ignore',
  })
  if (status !== 0) throw new Error(`ffmpeg alone could not convert ${input}`)
  const ms = performance.now() - started
  rmSync(folder, { recursive: true })
  return ms
}
