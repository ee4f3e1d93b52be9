import { trackPosition } from './track-position.ts'
import { play } from './play.ts'
import { preferences } from './preferences.ts'
import type { OpenPlayer, Source } from './player.ts'

/** The first Chromium version whose native HLS player was tested; older ones use hls.js. */
const firstMeasured = 150

/** Newer than the DOM's types. */
declare global {
  interface Navigator {
    userAgentData?: { brands: { brand: string; version: string }[] }
  }
}

/**
 * Returns whether the native player starts the episode on screen. It starts faster than hls.js because it needs no script, begins
 * with the lowest rendition and switches up after one segment. A chosen rendition needs hls.js, and so do encrypted segments: the
 * native player cannot read those with an init section.
 */
export function startsNatively({ encrypted }: Pick<Source, 'encrypted'>): boolean {
  const { brands = [] } = navigator.userAgentData ?? {}
  const isMeasured = brands.some(
    ({ brand, version }) => brand === 'Chromium' && Number(version) >= firstMeasured,
  )
  const plays = () => document.createElement('video').canPlayType('application/vnd.apple.mpegurl') !== ''
  return !encrypted && isMeasured && preferences.get().quality === null && plays()
}

/** Plays with the native player. It chooses renditions automatically, and reports errors without details. */
export const openNative: OpenPlayer = (video, first, startSeconds, { onTrouble }) => {
  let source = first
  const listening = new AbortController()
  const { signal } = listening
  const position = trackPosition(video, startSeconds, signal)
  // With a wrong clock every link looks expired, so another is requested only once until something plays again.
  let mayBeOld = true
  video.addEventListener('playing', () => (mayBeOld = true), { signal })
  const fail = () => {
    if (signal.aborted) return
    const isOld = mayBeOld && Date.parse(source.expires_at) < Date.now()
    mayBeOld &&= !isOld
    onTrouble(isOld ? 'expired' : 'broken')
  }
  const start = () => {
    const { seconds, isPlaying } = position
    video.src = source.hls_url
    video.currentTime = seconds
    if (isPlaying) void play(video)
  }
  video.addEventListener('error', fail, { signal })
  if (video.getAttribute('src') !== source.hls_url) start()
  // The caller receives the error asynchronously, after it has opened the player.
  else if (video.error) queueMicrotask(fail)
  return {
    renditions: () => [],
    choose: () => {},
    renew(fresh) {
      source = fresh
      start()
    },
    setActive: () => {},
    rest: () => {},
    retry: start,
    close: () => listening.abort(),
  }
}
