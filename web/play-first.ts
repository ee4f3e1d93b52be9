import { embeddedEpisode } from './lib/boot.ts'
import { shouldShowConsentBanner, reserveConsentBanner } from './lib/tracking/consent-banner.ts'
import { shouldStartNatively } from './player/engine/native-player.ts'
import { play } from './player/engine/play.ts'
import { preferences } from './player/engine/preferences.ts'
import { hasBuffered, readVideo } from './player/engine/video-state.ts'
import { prefetchPlaylists } from './player/engine/prefetch-playlists.ts'
import { createOnlineRetry } from './player/engine/retry-when-online.ts'
import { reloadDocument } from './lib/reload-document.ts'

/** The files of hls.js in this build, inserted by scripts/web-build/build-web.ts. */
declare const hlsFiles: string[]

/** The interface loads after this time at the latest, however slow the stream is. */
const interfaceTimeoutMs = 8_000
/**
 * Buffer that the video needs before the interface loads, in ms. On a slow connection, the interface takes about 3 s to
 * load. A stream that buffers quickly needs less.
 */
const bufferGoalMs = { usual: 3200, quick: 1500 }
const quickWithinMs = 1_000

const retryWhenOnline = createOnlineRetry()
reserveConsentBanner(shouldShowConsentBanner())

// This script is inlined right after the document's first video, so it runs at once. If the browser has a native
// player, the video starts now and the interface loads later. Otherwise hls.js is preloaded and the interface loads
// now.
const video = document.querySelector<HTMLVideoElement>('video#first-video')
const firstEpisode = embeddedEpisode()
if (video && firstEpisode && shouldStartNatively(firstEpisode.playback)) {
  startNatively(video, firstEpisode.playback.hls_url, firstEpisode.startMs / 1000)
  loadInterfaceOnceBuffered(video, firstEpisode.nextUrl)
  video.addEventListener('error', loadInterface)
  setTimeout(loadInterface, interfaceTimeoutMs)
} else {
  hlsFiles.forEach(preloadModule)
  loadInterface()
}

/** Once enough is buffered, loads the interface and prefetches the next episode's playlists for an early swipe. */
function loadInterfaceOnceBuffered(video: HTMLVideoElement, nextUrl: string | undefined): void {
  let shownAt = Infinity
  const bufferChecks = new AbortController()
  video.requestVideoFrameCallback((now) => (shownAt = now))
  const checkBuffer = () => {
    const sinceShown = performance.now() - shownAt
    if (sinceShown < 0) return
    const wantedMs = sinceShown < quickWithinMs ? bufferGoalMs.quick : bufferGoalMs.usual
    if (!hasBuffered(readVideo(video), wantedMs)) return
    bufferChecks.abort()
    loadInterface()
    if (nextUrl !== undefined) void prefetchPlaylists(nextUrl)
  }
  const { signal } = bufferChecks
  for (const event of ['progress', 'timeupdate']) video.addEventListener(event, checkBuffer, { signal })
}

/** Adds the scripts of the server's template (server/features/pages/html-documents.ts) to the document, once. */
function loadInterface(): void {
  const template = document.querySelector<HTMLTemplateElement>('template#interface')
  if (!template) return
  template.remove()
  template.content.querySelector('script')?.addEventListener('error', reloadInterface)
  document.head.append(template.content)
}

/**
 * Reloads the document, because a document does not fetch a failed module again. An episode that plays without the
 * interface is only interrupted once the browser is online again, because the reload may fail.
 */
function reloadInterface(): void {
  if (!video || video.paused) return reloadDocument()
  video.addEventListener('ended', reloadDocument)
  retryWhenOnline(() => location.reload())
}

function startNatively(video: HTMLVideoElement, url: string, seconds: number): void {
  const { muted, volume } = preferences.get()
  Object.assign(video, { muted, volume })
  video.src = url
  if (seconds > 0) video.currentTime = seconds
  void play(video)
}

function preloadModule(file: string): void {
  const link = document.createElement('link')
  link.rel = 'modulepreload'
  link.crossOrigin = ''
  link.href = file
  document.head.append(link)
}
