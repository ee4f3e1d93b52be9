import { getHomepage, getVideo } from '#contract/catalog.ts'
import { getEpisode } from '#contract/media.ts'
import { getUser } from '#contract/members.ts'
import { getReports } from '#contract/tracking.ts'
import { fetchTexts } from './i18n/texts.ts'
import { callAhead, introduceFirst } from './lib/api.ts'
import { boot, episodeInDocument } from './lib/boot.ts'
import { currentLanguage } from './lib/language.ts'
import { storage } from './lib/storage.ts'
import { takeVisitParameters } from './lib/tracking/visit.ts'

// This module is small on purpose: what the first screen waits for is under way before the interface has arrived.
keepStyles()
const cleaned = takeVisitParameters(new URL(location.href))
if (cleaned) history.replaceState(history.state, '', cleaned)

// The start-up order of the seed, section 4.
const user = callAhead(getUser)
// Who was never here is somebody only then; what they meet may depend on who they are.
const isNew = storage.get('user_id') === null || boot?.undecided === true
if (isNew) introduceFirst(user)
const reports = callAhead(getReports, {}, user)
callAhead(getHomepage, {}, reports)

const video = /^\/videos\/([^/]+)$/.exec(location.pathname)?.[1]
// The document is in another language than the viewer has chosen: its picture has other words beside it too.
if (!boot) document.getElementById('first-video')?.remove()
let picture: Promise<void> | undefined
const first = episodeInDocument()
if (first) {
  const { playback, startMs } = first
  picture = import('./player/engine/stream.ts').then(({ startAhead }) => startAhead(playback, startMs))
} else if (video && !boot) {
  const id = decodeURIComponent(video)
  const after = isNew ? user : undefined
  callAhead(getVideo, { id }, after)
  callAhead(getEpisode, { video_id: id, limit: 200 }, after)
}

void fetchTexts(currentLanguage(), 'base')
// The picture goes before the buttons over it. One that does not come keeps nobody from the rest.
void Promise.resolve(picture)
  .catch(() => {})
  .then(() => import('./app/start.tsx'))
  .then(({ start }) => start(cleaned !== null), openAnew)

/**
 * Keeps screens from fetching the style sheets that stand in the document: they look for a link to the file. A link that is
 * disabled loads nothing, but where it stands in the document Chromium fetches it ahead all the same.
 */
function keepStyles(): void {
  for (const style of document.querySelectorAll<HTMLElement>('style[data-file]'))
    style.insertAdjacentHTML('afterend', `<link rel=stylesheet href="${style.dataset['file']}" disabled>`)
}

/** A module that could not be fetched is not fetched again in the same document. Without a connection nothing would come. */
function openAnew(): void {
  const reload = () => location.reload()
  const [visit] = performance.getEntriesByType('navigation')
  const isReloaded = visit instanceof PerformanceNavigationTiming && visit.type === 'reload'
  // Firefox also gives up modules as it leaves the document: it has left by then.
  if (navigator.onLine && !isReloaded) setTimeout(reload, 1000)
  else addEventListener('online', reload, { once: true })
}
