import { trackPosition } from './track-position.ts'
import { freezeFrame } from './freeze-frame.ts'
import { openLazyHlsPlayer } from './lazy-hls-player.ts'
import { openNativePlayer } from './native-player.ts'
import { play } from './play.ts'
import { shortSide } from './short-side.ts'
import type { OpenPlayer, Player, Source } from './player.ts'
import { detectStall } from './stall-detector.ts'

/** hls.js takes over after a stall of this length. */
const stallTimeoutMs = 5_000

/**
 * Starts with the native player. Switches to hls.js when the viewer chooses a rendition, when the link must be renewed
 * before the episode ends, or after an error or a stall. On errors it switches because only hls.js reports their cause.
 */
export const openNativeThenHls: OpenPlayer = (video, initialSource, startSeconds, events) => {
  let source = initialSource
  let isActive = false
  let renditions: number[] = []
  let hls: Player | undefined
  let isSuspended = false
  const listening = new AbortController()
  const { signal } = listening
  const position = trackPosition(video, startSeconds, signal)
  const native = openNativePlayer(video, initialSource, startSeconds, { ...events, onError: switchToHls })
  signal.addEventListener('abort', detectStall(video, stallTimeoutMs, switchToHls))

  function switchToHls(): Player {
    if (hls) return hls
    native.close()
    listening.abort()
    if (video.error) clearSource(video, position.isPlaying)
    hls = openLazyHlsPlayer(video, source, position.seconds, events)
    hls.setActive(isActive)
    hls.setSuspended(isSuspended)
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
    chooseRendition(side) {
      if (hls || side !== null) switchToHls().chooseRendition(side)
    },
    renew(fresh) {
      const previousSource = source
      source = fresh
      if (hls) hls.renew(fresh)
      else if (!isValidUntilEnd(previousSource, video)) switchToHls()
    },
    setActive(active) {
      isActive = active
      hls?.setActive(active)
    },
    // Before the switch there is nothing to suspend: browsers load little of a paused video.
    setSuspended(suspended) {
      isSuspended = suspended
      hls?.setSuspended(suspended)
    },
    retry: () => switchToHls().retry(),
    close() {
      native.close()
      listening.abort()
      hls?.close()
    },
  }
}

/** Removes a failed source and shows its last frame; the element plays on with the next source. */
function clearSource(video: HTMLVideoElement, isPlaying: boolean): void {
  freezeFrame(video)
  video.removeAttribute('src')
  video.load()
  if (isPlaying) void play(video)
}

/**
 * Returns whether the link is valid until the end of the episode, if it plays on at the current speed. The link may
 * still expire if the viewer pauses or seeks back.
 */
function isValidUntilEnd({ expires_at }: Source, { duration, currentTime, playbackRate }: HTMLVideoElement) {
  return Date.now() + ((duration - currentTime) / playbackRate) * 1000 < Date.parse(expires_at)
}

/**
 * Reads the shorter sides of the renditions from the playlist, lowest first, because the native player does not report
 * them. Called after the first frame, so that the request does not delay that frame.
 */
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
