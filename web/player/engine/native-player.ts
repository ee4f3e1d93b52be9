import { trackPosition } from './track-position.ts'
import { play } from './play.ts'
import { preferences } from './preferences.ts'
import type { OpenPlayer, Source } from './player.ts'

/** The first Chromium version whose native HLS player was tested; older versions use hls.js. */
const firstTestedVersion = 150

/** Declares an API that TypeScript's DOM types lack. */
declare global {
  interface Navigator {
    userAgentData?: { brands: { brand: string; version: string }[] }
  }
}

/**
 * Returns whether the native player starts the episode on screen. The native player starts faster than hls.js: it needs
 * no script, begins with the lowest rendition and switches up after one segment. It cannot select a rendition, so it is
 * not used if the viewer chose a rendition. It cannot play encrypted segments that have an init section, so it is not
 * used for encrypted streams.
 */
export function shouldStartNatively({ encrypted }: Pick<Source, 'encrypted'>): boolean {
  const { brands = [] } = navigator.userAgentData ?? {}
  const isTestedVersion = brands.some(
    ({ brand, version }) => brand === 'Chromium' && Number(version) >= firstTestedVersion,
  )
  const supportsHls = () =>
    document.createElement('video').canPlayType('application/vnd.apple.mpegurl') !== ''
  return !encrypted && isTestedVersion && preferences.get().quality === null && supportsHls()
}

/** Plays with the browser's native HLS player, which chooses renditions itself and reports errors without details. */
export const openNativePlayer: OpenPlayer = (video, initialSource, startSeconds, { onError }) => {
  let source = initialSource
  const listening = new AbortController()
  const { signal } = listening
  const position = trackPosition(video, startSeconds, signal)
  // If the device's clock is wrong, every link looks expired. So only one new link is requested until the video plays
  // again.
  let mayBeExpired = true
  video.addEventListener('playing', () => (mayBeExpired = true), { signal })
  const fail = () => {
    if (signal.aborted) return
    const isExpired = mayBeExpired && Date.parse(source.expires_at) < Date.now()
    mayBeExpired &&= !isExpired
    onError(isExpired ? 'expired' : 'broken')
  }
  const start = () => {
    const { seconds, isPlaying } = position
    video.src = source.hls_url
    video.currentTime = seconds
    if (isPlaying) void play(video)
  }
  video.addEventListener('error', fail, { signal })
  if (video.getAttribute('src') !== source.hls_url) start()
  // Reported asynchronously, because the caller expects errors only after this function has returned.
  else if (video.error) queueMicrotask(fail)
  return {
    renditions: () => [],
    chooseRendition: () => {},
    renew(fresh) {
      source = fresh
      start()
    },
    setActive: () => {},
    setSuspended: () => {},
    retry: start,
    close: () => listening.abort(),
  }
}
