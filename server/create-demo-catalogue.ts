import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import {
  categoryNames,
  dramas,
  renderEpisode,
  renderRank,
  tagNames,
  writeDramaFolder,
  type Drama,
} from '#demo/catalogue.ts'
import { languages, type Language } from '#contract/languages.ts'
import type { Context } from '#server/context.ts'
import { isCatalogEmpty, readSetting, writeSetting } from '#server/features/catalog/catalog.ts'
import { fillDemoBalances } from './demo-balances.ts'
import { announceEpisodes } from './features/media/ingest/queue/announce-episodes.ts'
import { enqueueEpisode } from './features/media/ingest/queue/enqueue-episode.ts'
import { enqueueFolder } from './features/media/ingest/import/import-folder.ts'
import { convertCaptions, type ConvertedCaptions } from './features/media/ingest/captions/convert-captions.ts'
import type { WorkOptions } from './features/media/ingest/queue/ingest-queue.ts'
import type { IngestContext } from './features/media/ingest/ingest-context.ts'

type DemoContext = Context & IngestContext
type DemoOptions = Pick<WorkOptions, 'signal' | 'niceness'>

interface EpisodeToRender {
  drama: Drama
  videoId: string
  number: number
}

const setting = 'demo'

/**
 * Generates the demo catalogue and imports it through the ordinary ingest. Starts on an empty site, or continues an
 * interrupted run. Creates the dramas and their cards first, then their episodes in the order of `renderRank`. If
 * balances are enabled, it also creates members with a balance, as soon as episodes are on sale.
 */
export async function createDemoCatalogue(context: DemoContext, options: DemoOptions): Promise<void> {
  const { db, log, config } = context
  const state = await readSetting<{ state: 'making' | 'done' }>(db, setting)
  if (state?.state === 'done') return fillDemoBalances(context)
  if (!state && !(await isCatalogEmpty(db))) return
  await writeSetting(db, setting, { state: 'making' })
  const outDir = join(config.dataDir, 'demo')
  log.info(
    `Drawing the demo catalogue: ${dramas.length} dramas. Each episode can be watched a few seconds after it is drawn.`,
  )
  const started = performance.now()
  // Draws the very first episode in parallel with the covers, because a viewer may be waiting.
  const [first] = dramas
  const { ffmpegPath } = context.programs
  const [episodesToRender] = await Promise.all([
    announceDramas(context, outDir, options.signal),
    first && !state ? renderEpisode({ drama: first, number: 1, outDir, ffmpegPath, ...options }) : undefined,
  ])
  for (const [doneCount, commission] of episodesToRender.entries()) {
    await renderAndEnqueueEpisode(context, commission, outDir, options)
    await fillDemoBalances(context)
    const remaining = episodesToRender.length - doneCount - 1
    const minutes = Math.ceil(((performance.now() - started) / (doneCount + 1)) * (remaining / 60_000))
    log.info(
      `Demo catalogue: ${doneCount + 1} of ${episodesToRender.length} episodes drawn${remaining > 0 ? `, about ${minutes} min left` : ''}`,
    )
  }
  await writeSetting(db, setting, { state: 'done' })
  await rm(outDir, { recursive: true, force: true })
}

/** Creates every drama with its cover. @returns the episodes to draw, in order */
async function announceDramas(
  context: DemoContext,
  outDir: string,
  signal: AbortSignal,
): Promise<EpisodeToRender[]> {
  const names = new Map(Object.entries({ ...categoryNames, ...tagNames }))
  const began = context.clock.now().getTime()
  const episodesToRender: EpisodeToRender[] = []
  // Draws all covers first, so that the cards then appear on the homepage almost at once.
  for (const drama of dramas) {
    signal.throwIfAborted()
    await writeDramaFolder(drama, outDir)
  }
  for (const [place, drama] of dramas.entries()) {
    // Releases the dramas a second apart, so that lists by date show them in this order.
    const clock = { now: () => new Date(began - place * 1000) }
    const folder = join(outDir, drama.slug)
    const { videoId } = await enqueueFolder({ ...context, clock }, folder, {
      signal,
      release: 'now',
      priority: (number) => priorityOf(drama, number),
      names,
    })
    if (videoId === undefined) throw new Error(`The demo's own folder ${drama.slug} was refused`)
    const waiting = await announceEpisodes(
      context,
      videoId,
      drama.episodes.map(({ title }) => title),
    )
    episodesToRender.push(...waiting.map((number) => ({ drama, videoId, number })))
  }
  const rankOf = ({ drama, number }: EpisodeToRender) => renderRank(drama, number)
  return episodesToRender.toSorted((a, b) => rankOf(a) - rankOf(b))
}

/** Episodes are converted in the order of rendering; the operator's own imports (priority 10) are before all of them. */
const priorityOf = (drama: Drama, number: number) => -renderRank(drama, number)

async function renderAndEnqueueEpisode(
  context: DemoContext,
  { drama, videoId, number }: EpisodeToRender,
  outDir: string,
  options: DemoOptions,
): Promise<void> {
  const { signal, niceness } = options
  await renderEpisode({ drama, number, outDir, ffmpegPath: context.programs.ffmpegPath, signal, niceness })
  const name = String(number).padStart(2, '0')
  const folder = join(outDir, drama.slug)
  const file = {
    videoId,
    number,
    titles: drama.episodes[number - 1]?.title ?? {},
    path: join(folder, `${name}.mp4`),
    name: `${drama.slug}/${name}.mp4`,
    captions: await readCaptions(folder, name),
    keptCaptions: new Set<Language>(),
    priority: priorityOf(drama, number),
  }
  await enqueueEpisode(context, file, signal)
  await rm(file.path)
}

async function readCaptions(folder: string, name: string): Promise<Map<Language, ConvertedCaptions>> {
  const captions = new Map<Language, ConvertedCaptions>()
  for (const language of languages)
    captions.set(language, convertCaptions(await readFile(join(folder, `${name}.${language}.vtt`))))
  return captions
}
