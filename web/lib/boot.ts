import type { ResultOf } from '#contract/endpoint.ts'
import type { Video } from '#contract/catalog.ts'
import type { getEpisode, PlayableEpisode } from '#contract/media.ts'

/** What the server may put into a video page's document, so that playing need not wait for calls. */
export interface Boot {
  video: Video
  episodes: Extract<ResultOf<typeof getEpisode>, { list: unknown }>
  playable?: PlayableEpisode
}

/** The document's boot record, or null. It is our own server's, written from the contract's schemas. */
export const boot: Boot | null = JSON.parse(document.getElementById('boot')?.textContent ?? 'null')
