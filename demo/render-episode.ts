import { access, mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'
import { document } from '#demo/draw/svg.ts'
import { dissolve, filmGraph, framesPerSecond, type StagedShot } from '#demo/film-graph.ts'
import { runFfmpeg } from '#demo/run-ffmpeg.ts'
import { scoreWav } from '#demo/score.ts'
import { layersOf, type Layer } from '#demo/stage.ts'
import { timeline, type Drama } from '#demo/story.ts'
import { episodeName } from '#demo/write-folder.ts'

type RenderOptions = {
  drama: Drama
  number: number
  outDir: string
  ffmpegPath: string
  signal: AbortSignal
  niceness?: number
}

/** Renders one layer. A soft layer is out of focus, so it is rendered small and then enlarged. */
async function renderLayer(layer: Layer, file: string): Promise<void> {
  const { view, scale, soft } = layer
  if (!soft) {
    await sharp(document(layer.drawn, view, scale))
      .png({ compressionLevel: 1, adaptiveFiltering: false })
      .toFile(file)
    return
  }
  const small = await sharp(document(layer.drawn, view, scale / 5))
    .flatten()
    .blur(2)
    .png()
    .toBuffer()
  await sharp(small)
    .resize(Math.round(view.width * scale), Math.round(view.height * scale), { fit: 'fill', kernel: 'cubic' })
    .png({ compressionLevel: 1 })
    .toFile(file)
}

function encoding(graph: string, music: number, seconds: number, target: string): string[] {
  const colours = ['-colorspace', 'bt709', '-color_primaries', 'bt709', '-color_trc', 'bt709']
  const video = [
    '-c:v',
    'libx264',
    '-preset',
    'ultrafast',
    '-crf',
    '18',
    '-g',
    String(framesPerSecond * 2),
    '-threads',
    '2',
    ...colours,
  ]
  // A fixed number of threads and no version strings make the output identical in every run of the same ffmpeg build.
  const exact = [
    '-fflags',
    '+bitexact',
    '-flags:v',
    '+bitexact',
    '-flags:a',
    '+bitexact',
    '-map_metadata',
    '-1',
  ]
  return [
    '-filter_complex_threads',
    '1',
    '-filter_complex',
    graph,
    '-map',
    '[film]',
    '-map',
    `${music}:a`,
    ...video,
    '-c:a',
    'aac',
    '-b:a',
    '128k',
    ...exact,
    '-t',
    seconds.toFixed(4),
    '-movflags',
    '+faststart',
    '-f',
    'mp4',
    target,
  ]
}

function stageFilm({ drama, number }: RenderOptions): { shots: StagedShot[]; seconds: number } {
  const episode = drama.episodes[number - 1]
  if (!episode) throw new Error(`${drama.slug} has no episode ${number}`)
  const { shots, seconds } = timeline(episode)
  const staged = shots.map((shot, index): StagedShot => {
    const before = shots[index - 1]
    const soft =
      index > 0 && (shot.kind === 'wide' || before?.kind === 'wide' || before?.place !== shot.place)
    return {
      start: shot.start,
      end: shot.end,
      soft,
      layers: layersOf(drama, shot, index + number, shot.end - shot.start + dissolve),
    }
  })
  return { shots: staged, seconds }
}

/**
 * Renders the video of episode `number` (from 1) to `<outDir>/<slug>/NN.mp4`: 720×1280 at 24 frames per second, with
 * stereo sound. Returns immediately if the file exists. A file gets this name only when it is complete. Rejects if
 * ffmpeg fails or `signal` aborts.
 */
export async function renderEpisode(options: RenderOptions): Promise<void> {
  const { drama, number, outDir, ffmpegPath, signal, niceness } = options
  const folder = join(outDir, drama.slug)
  const finishedFile = join(folder, `${episodeName(number)}.mp4`)
  if (await exists(finishedFile)) return
  const tempFolder = join(folder, `.${episodeName(number)}.making`)
  await rm(tempFolder, { recursive: true, force: true })
  await mkdir(tempFolder, { recursive: true })
  try {
    const { shots, seconds } = stageFilm(options)
    const layers = shots.flatMap((shot) => shot.layers)
    const files = layers.map((_, index) => join(tempFolder, `${index}.png`))
    const music = join(tempFolder, 'score.wav')
    const pictures = layers.map((layer, index) => renderLayer(layer, files[index] ?? ''))
    await Promise.all([
      ...pictures,
      writeFile(music, scoreWav(drama.score, `${drama.slug}/${number}`, seconds, number === 3)),
    ])
    const film = join(tempFolder, 'film.mp4')
    const inputs = [...files, music].flatMap((file) => ['-i', file])
    const output = encoding(filmGraph(shots, seconds), files.length, seconds, film)
    await runFfmpeg(['-hide_banner', '-loglevel', 'error', '-nostdin', '-y', ...inputs, ...output], {
      ffmpegPath,
      signal,
      niceness,
    })
    await rename(film, finishedFile)
  } finally {
    await rm(tempFolder, { recursive: true, force: true })
  }
}

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  )
}
