import { getHomepage, getVideo } from '#contract/catalog.ts'
import { getEpisode } from '#contract/media.ts'
import { getUser } from '#contract/members.ts'
import { getReports } from '#contract/tracking.ts'
import { fetchTexts } from './i18n/load-texts.ts'
import { prefetchCall, delayCallsUntil } from './lib/api.ts'
import { boot, embeddedEpisode } from './lib/boot.ts'
import { currentLanguage } from './lib/language.ts'
import { reloadDocument } from './lib/reload-document.ts'
import { storage } from './lib/storage.ts'
import { storeVisitParameters } from './lib/tracking/visit-parameters.ts'

// This module is small on purpose: the first screen's calls start before the interface has loaded.
linkInlinedStyles()
const cleanedUrl = storeVisitParameters(new URL(location.href))
if (cleanedUrl) history.replaceState(history.state, '', cleanedUrl)

// The startup order of the seed, section 4.
const user = prefetchCall(getUser)
// A new visitor gets an id only with this call, and the other responses may depend on that id.
const isNew = storage.get('user_id') === null || boot?.undecided === true
if (isNew) delayCallsUntil(user)
const reports = prefetchCall(getReports, {}, user)
prefetchCall(getHomepage, {}, reports)

const videoParam = /^\/videos\/([^/]+)$/.exec(location.pathname)?.[1]
// `boot` is null if the embedded data is not in the viewer's language. The embedded video is then removed too.
if (!boot) document.getElementById('first-video')?.remove()
let videoStarted: Promise<void> | undefined
const firstEpisode = embeddedEpisode()
if (firstEpisode) {
  const { playback, startMs } = firstEpisode
  videoStarted = import('./player/engine/stream.ts').then(({ startFirstEpisode }) =>
    startFirstEpisode(playback, startMs),
  )
} else if (videoParam && !boot) {
  const id = decodeURIComponent(videoParam)
  const after = isNew ? user : undefined
  prefetchCall(getVideo, { id }, after)
  prefetchCall(getEpisode, { video_id: id, limit: 200 }, after)
}

void fetchTexts(currentLanguage(), 'base')
// Starts the first video before the interface loads. If that fails, the interface loads anyway.
void Promise.resolve(videoStarted)
  .catch(() => {})
  .then(() => import('./app/start.tsx'))
  .then(({ start }) => start(cleanedUrl !== null), reloadDocument)

/**
 * Prevents screens from fetching style sheets that are inlined in the document. Vite fetches no file for which the
 * document has a link, so this function adds links. They are disabled, so that they load nothing. The server does not
 * send them, because Chromium would preload links in the document's source.
 */
function linkInlinedStyles(): void {
  for (const style of document.querySelectorAll<HTMLElement>('style[data-file]'))
    style.insertAdjacentHTML('afterend', `<link rel=stylesheet href="${style.dataset['file']}" disabled>`)
}
