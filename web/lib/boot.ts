import type { listPlans } from '#contract/billing.ts'
import type { ResultOf } from '#contract/endpoint.ts'
import type { getHomepage, Video } from '#contract/catalog.ts'
import type { getEpisode, PlayableEpisode } from '#contract/media.ts'
import { currentLanguage } from './language.ts'

/**
 * Data that the server may embed in a document, so that its first screen needs no calls: the homepage, a video or the
 * plans.
 */
interface Boot {
  /** The language of the data. */
  language?: string
  homepage?: ResultOf<typeof getHomepage>
  video?: Video
  episodes?: Extract<ResultOf<typeof getEpisode>, { list: unknown }>
  playable?: PlayableEpisode
  /** The next episode, if the viewer may play it. */
  following?: PlayableEpisode
  /** True if the document was rendered without a variant although an experiment runs. */
  undecided?: true
  plans?: ResultOf<typeof listPlans>
}

/**
 * The data embedded in the document. Null if there is none, or if it is in another language than the viewer's choice.
 */
export const boot = readBoot()

function readBoot(): Boot | null {
  // Needs no validation: our server has written it according to the contract's schemas.
  const record: Boot | null = JSON.parse(document.getElementById('boot')?.textContent ?? 'null')
  return record && (record.language ?? currentLanguage()) === currentLanguage() ? record : null
}

interface EmbeddedEpisode {
  playback: PlayableEpisode['playback']
  startMs: number
  /** The URL of the next episode's playlist. */
  nextUrl: string | undefined
}

/** Returns the playable episode in the document and the viewer's position in it; null if there is none. */
export function embeddedEpisode(): EmbeddedEpisode | null {
  if (!boot?.playable) return null
  const { playable, following, video: { resume } = {} } = boot
  const startMs = resume?.episode_id === playable.episode.id ? resume.position_ms : 0
  return { playback: playable.playback, startMs, nextUrl: following?.playback.hls_url }
}
