import { episodeInDocument } from '#web/lib/boot.ts'
import { beginsByItself } from '#web/player/own-player.ts'
import { play } from '#web/player/play.ts'
import { preferences } from '#web/player/preferences.ts'
import { warmPlaylists } from '#web/player/warm-playlists.ts'

/** Where this build has hls.js, written in by scripts/build-web.ts. */
declare const hlsFiles: string[]

/** However slow the stream is, the interface comes after this long. */
const patienceMs = 6_000
/** What lies ahead of the picture before anything else is fetched: on a thin connection the interface takes as long; less, where it came at once. */
const aheadSeconds = { usual: 2.4, quick: 1.5 }
const quickWithinMs = 1_000

let wasLost = false
addEventListener('offline', () => (wasLost = true))

// Stands in the document itself, right behind its first video, where it waits for nothing: a browser that plays by itself begins,
// and the interface follows what comes next of it; any other asks for hls.js before the first of our scripts has come.
const video = document.querySelector<HTMLVideoElement>('video#first-video')
const first = episodeInDocument()
if (video && first && beginsByItself(first.playback)) {
  begin(video, first.playback.hls_url, first.startMs / 1000)
  bringInterfaceOnceAhead(video, first.nextUrl)
  video.addEventListener('error', bringInterface)
  setTimeout(bringInterface, patienceMs)
} else {
  hlsFiles.forEach(fetchAhead)
  bringInterface()
}

/** With it come the lines by which the next episode begins, for whoever swipes at once. */
function bringInterfaceOnceAhead(video: HTMLVideoElement, nextUrl: string | undefined): void {
  let shownAt = Infinity
  let isBrought = false
  video.requestVideoFrameCallback((now) => (shownAt = now))
  const look = () => {
    const sinceShown = performance.now() - shownAt
    if (sinceShown < 0) return
    const { buffered, currentTime, duration } = video
    const end = buffered.length ? buffered.end(buffered.length - 1) : 0
    const wanted = sinceShown < quickWithinMs ? aheadSeconds.quick : aheadSeconds.usual
    if (isBrought || end < Math.min(currentTime + wanted, duration - 0.5)) return
    isBrought = true
    bringInterface()
    if (nextUrl !== undefined) void warmPlaylists(nextUrl)
  }
  for (const event of ['progress', 'timeupdate']) video.addEventListener(event, look)
}

/** Lets the document ask for the scripts that the server has set aside (server/features/pages/documents.ts); once. */
function bringInterface(): void {
  const template = document.querySelector<HTMLTemplateElement>('template#interface')
  if (!template) return
  template.remove()
  template.content.querySelector('script')?.addEventListener('error', openAnew)
  document.head.append(template.content)
}

/** A module that could not be fetched is not fetched again in this document: it is opened anew once there is a connection. */
function openAnew(): void {
  if (wasLost && navigator.onLine) location.reload()
  else addEventListener('online', () => location.reload())
}

function begin(video: HTMLVideoElement, url: string, seconds: number): void {
  video.muted = preferences.get().muted
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
