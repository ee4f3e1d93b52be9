import { episodeInDocument } from '#web/lib/boot.ts'
import { beginsByItself } from '#web/player/own-player.ts'
import { play } from '#web/player/play.ts'
import { preferences } from '#web/player/preferences.ts'

/** Where this build has hls.js, written in by scripts/build-web.ts. */
declare const hlsFiles: string[]

// Stands in the document itself, right behind its first video, where it waits for nothing: a browser that plays by itself begins,
// any other asks for hls.js before the first of our scripts has come.
const video = document.querySelector<HTMLVideoElement>('video#first-video')
const first = episodeInDocument()
if (video && first) {
  if (beginsByItself()) begin(video, first.playback.hls_url, first.startMs / 1000)
  else hlsFiles.forEach(fetchAhead)
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
