import { followPlace } from './follow-place.ts'
import { holdPicture } from './hold-picture.ts'
import { openHlsSoon } from './hls-soon.ts'
import { openOwn } from './own-player.ts'
import { play } from './play.ts'
import { shortSide } from './short-side.ts'
import type { OpenPlayer, Player, Source } from './stream.ts'
import { watchStandstill } from './watch-standstill.ts'

/** Stands it still for this long, hls.js may know better. */
const patienceMs = 5_000

/**
 * Begins with the browser's own player, and goes on with hls.js where that is needed: when a rung is chosen, when the link has
 * to be renewed before the episode ends, and at any trouble, since hls.js can tell what it is and what to do.
 */
export const openWithHeadStart: OpenPlayer = (video, first, startSeconds, events) => {
  let source = first
  let isActive = false
  let rungs: number[] = []
  let hls: Player | undefined
  let isResting = false
  const listening = new AbortController()
  const { signal } = listening
  const place = followPlace(video, startSeconds, signal)
  const own = openOwn(video, first, startSeconds, { ...events, onTrouble: goOn })
  signal.addEventListener('abort', watchStandstill(video, patienceMs, goOn))

  function goOn(): Player {
    if (hls) return hls
    own.close()
    listening.abort()
    if (video.error) clear(video, place.isPlaying)
    hls = openHlsSoon(video, source, place.seconds, events)
    hls.setActive(isActive)
    hls.rest(isResting)
    return hls
  }
  async function tellRungs() {
    rungs = await readRungs(source)
    if (!signal.aborted) events.onRungs()
  }
  if (video.readyState >= HTMLMediaElement.HAVE_CURRENT_DATA) void tellRungs()
  else video.addEventListener('loadeddata', tellRungs, { once: true, signal })
  return {
    rungs: () => hls?.rungs() ?? rungs,
    choose(side) {
      if (hls || side !== null) goOn().choose(side)
    },
    renew(fresh) {
      const before = source
      source = fresh
      if (hls) hls.renew(fresh)
      else if (!lastsToTheEnd(before, video)) goOn()
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
    retry: () => goOn().retry(),
    close() {
      own.close()
      listening.abort()
      hls?.close()
    },
  }
}

/** An element that has failed plays nothing; without a source it waits for the next one. */
function clear(video: HTMLVideoElement, isPlaying: boolean): void {
  holdPicture(video)
  video.removeAttribute('src')
  video.load()
  if (isPlaying) void play(video)
}

/** Whether the link holds until the episode has been played; a viewer who pauses or goes back may still outlast it. */
function lastsToTheEnd({ expires_at }: Source, { duration, currentTime, playbackRate }: HTMLVideoElement) {
  return Date.now() + ((duration - currentTime) / playbackRate) * 1000 < Date.parse(expires_at)
}

/** The renditions in a stream's playlist by their shorter sides, lowest first, which the native player does not reveal; not before the first frame. */
async function readRungs({ hls_url }: Source): Promise<number[]> {
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
