import { whenIdle } from '#web/lib/when-idle.ts'
import { choosePlayer } from './choose-player.ts'
import { play } from './play.ts'
import type { Player, PlayerEvents, Source, PlayerError } from './player.ts'
import { preferences } from './preferences.ts'

export interface Stream extends Player {
  video: HTMLVideoElement
  /** Sets the listeners; an error that occurred earlier is reported at once. */
  listen(events: PlayerEvents): void
}

const preparedStreams = new Map<string, Stream>()

/**
 * Starts the document's first episode before its screen is rendered. Uses the document's video element, which may
 * already play (web/play-first.ts). `takeStream` with the same link later returns this stream.
 */
export function startFirstEpisode(source: Source, startMs: number): void {
  const video = document.querySelector<HTMLVideoElement>('video#first-video') ?? createVideo()
  const { muted } = preferences.get()
  if (video.hasAttribute('src') && video.muted && !muted) preferences.set({ mutedByBrowser: true })
  video.muted ||= muted
  preparedStreams.set(source.hls_url, openStream(video, source, startMs, true))
  void play(video)
}

/**
 * Returns the prepared stream of a source, or opens one; the caller closes it.
 * @param active whether the stream is on screen and must start at once
 */
export function takeStream(source: Source, startMs: number, active: boolean): Stream {
  const prepared = preparedStreams.get(source.hls_url)
  preparedStreams.delete(source.hls_url)
  prepared?.video.removeAttribute('id')
  return prepared ?? openStream(createVideo(), source, startMs, active)
}

function createVideo(): HTMLVideoElement {
  const video = document.createElement('video')
  // Without CORS, Chromium's native player cannot load segments from another host, such as a bucket.
  video.crossOrigin = 'anonymous'
  video.playsInline = true
  return video
}

function openStream(video: HTMLVideoElement, source: Source, startMs: number, active: boolean): Stream {
  video.preload = 'auto'
  video.disableRemotePlayback = false
  let listener: PlayerEvents | undefined
  let unreportedError: PlayerError | undefined
  const events: PlayerEvents = {
    onError: (trouble) => (listener ? listener.onError(trouble) : (unreportedError = trouble)),
    onRenditions: () => listener?.onRenditions(),
  }
  const open = choosePlayer(source, active)
  const player = open(video, source, startMs / 1000, events)
  // Chosen before loading starts: a later choice would load the first segments again in another rendition.
  player.chooseRendition(preferences.get().quality)
  return {
    ...player,
    video,
    listen(newListener) {
      listener = newListener
      if (unreportedError) newListener.onError(unreportedError)
      unreportedError = undefined
    },
    close() {
      video.pause()
      player.setSuspended(true)
      video.remove()
      // Deferred, so that closing does not delay the next episode after a swipe.
      whenIdle(() => {
        player.close()
        video.removeAttribute('src')
        video.load()
      })
    },
  }
}
