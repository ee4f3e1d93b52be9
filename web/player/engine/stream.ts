import { whenIdle } from '#web/lib/when-idle.ts'
import { openNativeThenHls } from './native-then-hls.ts'
import { openLazyHls } from './lazy-hls-player.ts'
import { startsNatively, openNative } from './native-player.ts'
import { play } from './play.ts'
import type { Player, PlayerEvents, Source, Trouble } from './player.ts'
import { preferences } from './preferences.ts'

export interface Stream extends Player {
  video: HTMLVideoElement
  /** Registers listeners, and reports an earlier unreported error at once. */
  listen(events: PlayerEvents): void
}

const prepared = new Map<string, Stream>()

/** False on older iPhones, which have no Media Source Extensions. */
const hlsServes = 'MediaSource' in globalThis || 'ManagedMediaSource' in globalThis

/**
 * Starts the document's first episode before its screen exists, in the document's element, where it may play already
 * (web/play-first.ts). `takeStream` with the same link then takes it over.
 */
export function startAhead(source: Source, startMs: number): void {
  const video = document.querySelector<HTMLVideoElement>('video#first-video') ?? createVideo()
  const { muted } = preferences.get()
  if (video.hasAttribute('src') && video.muted && !muted) preferences.set({ silenced: true })
  video.muted ||= muted
  prepared.set(source.hls_url, openStream(video, source, startMs, true))
  void play(video)
}

/** Returns a prepared stream or a new one; the caller closes it. @param active whether it is on screen and must start at once */
export function takeStream(source: Source, startMs: number, active: boolean): Stream {
  const ready = prepared.get(source.hls_url)
  prepared.delete(source.hls_url)
  ready?.video.removeAttribute('id')
  return ready ?? openStream(createVideo(), source, startMs, active)
}

function createVideo(): HTMLVideoElement {
  const video = document.createElement('video')
  // Chromium's native player loads segments from another host, such as a bucket's, only with CORS.
  video.crossOrigin = 'anonymous'
  video.playsInline = true
  return video
}

function openStream(video: HTMLVideoElement, source: Source, startMs: number, active: boolean): Stream {
  video.preload = 'auto'
  video.disableRemotePlayback = false
  let listener: PlayerEvents | undefined
  let unheard: Trouble | undefined
  const events: PlayerEvents = {
    onTrouble: (trouble) => (listener ? listener.onTrouble(trouble) : (unheard = trouble)),
    onRenditions: () => listener?.onRenditions(),
  }
  const open = !hlsServes ? openNative : active && startsNatively(source) ? openNativeThenHls : openLazyHls
  const player = open(video, source, startMs / 1000, events)
  // At once, because a later choice would refetch the first segments in another rendition.
  player.choose(preferences.get().quality)
  return {
    ...player,
    video,
    listen(next) {
      listener = next
      if (unheard) next.onTrouble(unheard)
      unheard = undefined
    },
    close() {
      video.pause()
      player.rest(true)
      video.remove()
      // Deferred, so that it does not delay the next episode after a swipe.
      whenIdle(() => {
        player.close()
        video.removeAttribute('src')
        video.load()
      })
    },
  }
}
