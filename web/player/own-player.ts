import { preferences } from './preferences.ts'
import type { OpenPlayer } from './stream.ts'

/** The first Chromium whose own HLS player was measured; what older ones have is left alone. */
const firstMeasured = 150

/** Newer than the DOM's types. */
declare global {
  interface Navigator {
    userAgentData?: { brands: { brand: string; version: string }[] }
  }
}

/**
 * Whether the browser's own player begins what is on screen: where it is sooner than hls.js, because it needs no script, begins
 * with the lowest rung and climbs after one segment. Somebody who wants a certain rung needs hls.js.
 */
export function beginsByItself(): boolean {
  const { brands = [] } = navigator.userAgentData ?? {}
  const isMeasured = brands.some(
    ({ brand, version }) => brand === 'Chromium' && Number(version) >= firstMeasured,
  )
  const plays = () => document.createElement('video').canPlayType('application/vnd.apple.mpegurl') !== ''
  return isMeasured && preferences.get().quality === null && plays()
}

/** Plays by the browser's own player. It chooses rungs by itself, and of an error says no more than that there was one. */
export const openOwn: OpenPlayer = (video, first, startSeconds, { onTrouble }) => {
  let source = first
  let isClosed = false
  const fail = () => {
    if (!isClosed) onTrouble(Date.parse(source.expires_at) < Date.now() ? 'expired' : 'broken')
  }
  const start = (seconds: number) => {
    video.src = source.hls_url
    video.currentTime = seconds
  }
  video.addEventListener('error', fail)
  if (video.getAttribute('src') !== source.hls_url) start(startSeconds)
  // Whoever opens it hears of that afterwards.
  else if (video.error) queueMicrotask(fail)
  return {
    rungs: () => [],
    choose: () => {},
    renew(fresh) {
      source = fresh
      const { currentTime, paused } = video
      start(currentTime)
      if (!paused) void video.play().catch(() => {})
    },
    setActive: () => {},
    rest: () => {},
    retry: () => start(video.currentTime),
    close() {
      isClosed = true
      video.removeEventListener('error', fail)
    },
  }
}
