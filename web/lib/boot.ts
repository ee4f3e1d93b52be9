import type { listPlans } from '#contract/billing.ts'
import type { ResultOf } from '#contract/endpoint.ts'
import type { getHomepage, Video } from '#contract/catalog.ts'
import type { getEpisode, PlayableEpisode } from '#contract/media.ts'
import { currentLanguage } from './language.ts'

/** What the server may put into a document, so that its first screen need not wait for calls: the home page's, a video's, or the plans'. */
interface Boot {
  /** The language it is written in. */
  language?: string
  homepage?: ResultOf<typeof getHomepage>
  video?: Video
  episodes?: Extract<ResultOf<typeof getEpisode>, { list: unknown }>
  playable?: PlayableEpisode
  /** The next episode, if it may be played. */
  following?: PlayableEpisode
  /** The document was made without a viewer's variant while an experiment runs. */
  undecided?: true
  plans?: ResultOf<typeof listPlans>
}

/** The document's boot record; null if there is none, or if the viewer has chosen another language than the browser's. */
export const boot = readBoot()

function readBoot(): Boot | null {
  // Our own server's record, written from the contract's schemas.
  const record: Boot | null = JSON.parse(document.getElementById('boot')?.textContent ?? 'null')
  return record && (record.language ?? currentLanguage()) === currentLanguage() ? record : null
}

interface EpisodeInDocument {
  playback: PlayableEpisode['playback']
  startMs: number
  /** Where the one after it is. */
  nextUrl: string | undefined
}

/** The episode that the document comes with, if it has one that may be played, and where its viewer left it. */
export function episodeInDocument(): EpisodeInDocument | null {
  if (!boot?.playable) return null
  const { playable, following, video: { resume } = {} } = boot
  const startMs = resume?.episode_id === playable.episode.id ? resume.position_ms : 0
  return { playback: playable.playback, startMs, nextUrl: following?.playback.hls_url }
}
