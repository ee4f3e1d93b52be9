import { getEpisode } from '#contract/media.ts'
import type { Buyers } from '#deploy/release/simulate-buyers.ts'
import { visitorFactory } from '#server/testing/site/visitor.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import { readContinuously, readHomepage, type Reader, type Reads } from './read-continuously.ts'

export interface Load {
  url: string
  freeEpisode: string
  buyers: Buyers
  /** Time within which sales must resume. */
  patienceMs: number
}

export interface Outcome {
  pages: Reads
  plays: Reads
  failedJourneys: readonly string[]
  slowestJourneyMs: number
  /** Time from the end of the outage to the next sale. */
  salesBackMs: number
}

/**
 * Causes an outage while visitors load the homepage, open a free episode and buy. Prints the failures and delays that
 * the visitors notice until sales have resumed.
 */
export async function measureOutage(
  { url, freeEpisode, buyers, patienceMs }: Load,
  what: string,
  outage: () => Promise<void>,
): Promise<Outcome> {
  await buyers.completeMore(patienceMs)
  const [pages, plays] = [readHomepage(url), playFreeEpisode(url, freeEpisode)]
  try {
    // While the database is unavailable, the site serves only responses that were requested before.
    const haveRead = () => pages.reads() > 0 && plays.reads() > 0
    await waitUntil('visitors have loaded the homepage and a free episode', haveRead, patienceMs)
    const [failedBefore, soldBefore] = [buyers.failures().length, buyers.journeys().length]
    await outage()
    const [endedAt, soldMeanwhile] = [performance.now(), buyers.journeys().length]
    await waitUntil('sales resume', () => buyers.journeys().length > soldMeanwhile, patienceMs)
    const salesBackMs = performance.now() - endedAt
    await buyers.completeMore(patienceMs)
    // A payment that the outage interrupted may take longer than the next sale.
    await buyers.finishCurrent(patienceMs)
    const outcome = {
      pages: await pages.end(),
      plays: await plays.end(),
      failedJourneys: buyers.failures().slice(failedBefore),
      slowestJourneyMs: Math.max(...buyers.journeys().slice(soldBefore)),
      salesBackMs,
    }
    print(what, outcome)
    return outcome
  } finally {
    await Promise.all([pages.end(), plays.end()])
  }
}

/** Requests the link and the playlist of a free episode repeatedly, as players do. */
function playFreeEpisode(url: string, episodeId: string): Reader {
  const visitor = visitorFactory(url)()
  return readContinuously(async () => {
    const opened = await visitor.callOk(getEpisode, { query: { episode_id: episodeId } })
    if (!('playback' in opened)) throw new Error('the episode has no link')
    const playlist = await visitor.fetch(opened.playback.hls_url)
    if (!playlist.ok) throw new Error(`the playlist returned ${playlist.status}`)
    await playlist.text()
  })
}

/** Formats a duration in seconds. */
export const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`

function print(what: string, { pages, plays, failedJourneys, slowestJourneyMs, salesBackMs }: Outcome): void {
  const show = ({ failures, reads, slowestMs }: Reads) =>
    `${failures.length} of ${reads} failed, the slowest took ${seconds(slowestMs)}`
  console.log(
    [
      `${what}: the next sale ${seconds(salesBackMs)} after its end.`,
      `  Journeys: ${failedJourneys.length} failed, the slowest other one took ${seconds(slowestJourneyMs)}.`,
      `  Homepages: ${show(pages)}. Free episodes: ${show(plays)}.`,
      ...new Set(failedJourneys.map((failure) => `  ${failure}`)),
    ].join('\n'),
  )
}
