import type { ResultOf } from '#contract/endpoint.ts'
import type { Video } from '#contract/catalog.ts'
import type { getEpisode, PlayableEpisode } from '#contract/media.ts'
import { currentLanguage } from './language.ts'

/** What the server may put into a video page's document, so that playing need not wait for calls. */
export interface Boot {
  /** The language it is written in. */
  language?: string
  video: Video
  episodes: Extract<ResultOf<typeof getEpisode>, { list: unknown }>
  playable?: PlayableEpisode
}

/** The document's boot record; null where there is none, or where the viewer has chosen another language than the browser's. */
export const boot = readBoot()

function readBoot(): Boot | null {
  // Our own server's record, written from the contract's schemas.
  const record: Boot | null = JSON.parse(document.getElementById('boot')?.textContent ?? 'null')
  return record && (record.language ?? currentLanguage()) === currentLanguage() ? record : null
}
