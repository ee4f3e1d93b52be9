import { trackPosition } from './track-position.ts'
import { freezeFrame } from './freeze-frame.ts'
import { openLazyHls } from './lazy-hls-player.ts'
import { openNative } from './native-player.ts'
import { play } from './play.ts'
import { shortSide } from './short-side.ts'
import type { OpenPlayer, Player, Source } from './player.ts'
import { detectStall } from './stall-detector.ts'

/** After a stall of this length hls.js takes over. */
const patienceMs = 5_000

/**
 * Starts with the native player, and switches to hls.js where that is needed: when a rendition is chosen, when the link has
 * to be renewed before the episode ends, and at any trouble, since hls.js can tell what it is and what to do.
 */
export const openNativeThenHls: OpenPlayer = (video, first, startSeconds, events) => {
  let source = first
  let isActive = false
  let renditions: number[] = []
  let hls: Player | undefined
  let isResting = false
  const listening = new AbortController()
  const { signal } = listening
  const position = trackPosition(video, startSeconds, signal)
  const native = openNative(video, first, startSeconds, { ...events, onTrouble: switchToHls })
  signal.addEventListener('abort', detectStall(video, patienceMs, switchToHls))

  function switchToHls(): Player {
    if (hls) return hls
    native.close()
    listening.abort()
    if (video.error) clear(video, position.isPlaying)
    hls = openLazyHls(video, source, position.seconds, events)
    hls.setActive(isActive)
    hls.rest(isResting)
    return hls
  }
  async function reportRenditions() {
    renditions = await readRenditions(source)
    if (!signal.aborted) events.onRenditions()
  }
  if (video.readyState >= HTMLMediaElement.HAVE_CURRENT_DATA) void reportRenditions()
  else video.addEventListener('loadeddata', reportRenditions, { once: true, signal })
  return {
    renditions: () => hls?.renditions() ?? renditions,
    choose(side) {
      if (hls || side !== null) switchToHls().choose(side)
    },
    renew(fresh) {
      const before = source
      source = fresh
      if (hls) hls.renew(fresh)
      else if (!lastsToTheEnd(before, video)) switchToHls()
    },
    setActive(active) {
      isActive = active
      hls?.setActive(active)
    },
    // The browser fetches little for a paused video.
    rest(resting) {
      isResting = resting
      hls?.rest(resting)
    },
    retry: () => switchToHls().retry(),
    close() {
      native.close()
      listening.abort()
      hls?.close()
    },
  }
}

/** An element that has failed plays nothing; without a source it waits for the next one. */
function clear(video: HTMLVideoElement, isPlaying: boolean): void {
  freezeFrame(video)
  video.removeAttribute('src')
  video.load()
  if (isPlaying) void play(video)
}

/** Whether the link holds until the episode has been played; a viewer who pauses or goes back may still outlast it. */
function lastsToTheEnd({ expires_at }: Source, { duration, currentTime, playbackRate }: HTMLVideoElement) {
  return Date.now() + ((duration - currentTime) / playbackRate) * 1000 < Date.parse(expires_at)
}

/** The renditions in a stream's playlist by their shorter sides, lowest first, which the native player does not reveal; not before the first frame. */
async function readRenditions({ hls_url }: Source): Promise<number[]> {
  try {
    const playlist = await (await fetch(hls_url)).text()
    const sides = [...playlist.matchAll(/RESOLUTION=(\d+)x(\d+)/g)].map(([, width, height]) =>
      shortSide({ width: Number(width), height: Number(height) }),
    )
    return [...new Set(sides)].toSorted((one, other) => one - other)
  } catch {
    return []
  }
}
