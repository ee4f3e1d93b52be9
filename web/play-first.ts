import { episodeInDocument } from './lib/boot.ts'
import { isConsentOpen, reserveConsentBar } from './lib/tracking/consent-question.ts'
import { startsNatively } from './player/engine/native-player.ts'
import { play } from './player/engine/play.ts'
import { preferences } from './player/engine/preferences.ts'
import { isAhead, readVideo } from './player/engine/video-state.ts'
import { prefetchPlaylists } from './player/engine/prefetch-playlists.ts'
import { createOnlineRetry } from './player/engine/retry-when-online.ts'

/** Where this build has hls.js, written in by scripts/web-build/build-web.ts. */
declare const hlsFiles: string[]

/** However slow the stream is, the interface comes after this long. */
const patienceMs = 8_000
/** What lies ahead of the picture before anything else is fetched: on a thin connection the interface takes as long; less, where it came at once. */
const aheadMs = { usual: 3200, quick: 1500 }
const quickWithinMs = 1_000

const retryWhenOnline = createOnlineRetry()
reserveConsentBar(isConsentOpen())

// Stands in the document itself, right behind its first video, where it waits for nothing: a browser that plays by itself begins,
// and the interface follows what comes next of it; any other asks for hls.js before the first of our scripts has come.
const video = document.querySelector<HTMLVideoElement>('video#first-video')
const first = episodeInDocument()
if (video && first && startsNatively(first.playback)) {
  begin(video, first.playback.hls_url, first.startMs / 1000)
  loadInterfaceOnceBuffered(video, first.nextUrl)
  video.addEventListener('error', loadInterface)
  setTimeout(loadInterface, patienceMs)
} else {
  hlsFiles.forEach(fetchAhead)
  loadInterface()
}

/** With it come the lines by which the next episode begins, for whoever swipes at once. */
function loadInterfaceOnceBuffered(video: HTMLVideoElement, nextUrl: string | undefined): void {
  let shownAt = Infinity
  const looking = new AbortController()
  video.requestVideoFrameCallback((now) => (shownAt = now))
  const look = () => {
    const sinceShown = performance.now() - shownAt
    if (sinceShown < 0) return
    const wantedMs = sinceShown < quickWithinMs ? aheadMs.quick : aheadMs.usual
    if (!isAhead(readVideo(video), wantedMs)) return
    looking.abort()
    loadInterface()
    if (nextUrl !== undefined) void prefetchPlaylists(nextUrl)
  }
  const { signal } = looking
  for (const event of ['progress', 'timeupdate']) video.addEventListener(event, look, { signal })
}

/** Lets the document ask for the scripts that the server has set aside (server/features/pages/documents.ts); once. */
function loadInterface(): void {
  const template = document.querySelector<HTMLTemplateElement>('template#interface')
  if (!template) return
  template.remove()
  template.content.querySelector('script')?.addEventListener('error', openAnew)
  document.head.append(template.content)
}

/** A module that could not be fetched is not fetched again in this document: it is opened anew once there is a connection. */
function openAnew(): void {
  retryWhenOnline(() => location.reload())
}

function begin(video: HTMLVideoElement, url: string, seconds: number): void {
  const { muted, volume } = preferences.get()
  Object.assign(video, { muted, volume })
  video.src = url
  if (seconds > 0) video.currentTime = seconds
  void play(video)
}

function fetchAhead(file: string): void {
  const link = document.createElement('link')
  link.rel = 'modulepreload'
  link.crossOrigin = ''
  link.href = file
  document.head.append(link)
}
