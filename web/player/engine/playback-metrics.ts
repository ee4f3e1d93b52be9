/** The metrics of an episode's playback. `use-playback-metrics.ts` sends them. */
export type PlaybackEvent =
  | { kind: 'start'; ms: number; startedBy: 'link' | 'swipe'; height: number; player: 'native' | 'hls' }
  | { kind: 'stall'; ms: number; at_ms: number }
  | { kind: 'rendition'; fromHeight: number; height: number }
  | { kind: 'error'; what: string }

/** Shorter stalls are not reported, because they are not visible. */
const minStallMs = 100

/** The first episode counts as started by the link if it comes on screen within this time after the navigation. */
const linkStartWithinMs = 20_000

/**
 * True until the first episode comes on screen, if the page was opened with the URL of a video. The startup time of
 * that episode counts from the start of the navigation.
 */
let isFirst = performance.getEntriesByType('navigation').some(({ name }) => /\/videos\//.test(name))

/** Measures the playback of a video from the moment it is on screen. @returns a function that ends the measurement */
export function measurePlayback(video: HTMLVideoElement, report: (event: PlaybackEvent) => void): () => void {
  const isStartedByLink = isFirst && performance.now() < linkStartWithinMs
  const startedAt = isStartedByLink ? 0 : performance.now()
  const startedBy = isStartedByLink ? 'link' : 'swipe'
  isFirst = false
  // Browsers do not start videos in a hidden page, so the startup time is not reported if the page was hidden.
  let wasHidden = document.hidden
  const recordHidden = () => (wasHidden ||= document.hidden)
  document.addEventListener('visibilitychange', recordHidden)
  let { videoHeight: height } = video
  let stalledAt: number | undefined
  let hasStarted = false

  const start = (now: number) => {
    if (hasStarted) return
    hasStarted = true
    if (wasHidden) return
    const player = video.currentSrc.startsWith('blob:') ? 'hls' : 'native'
    report({
      kind: 'start',
      ms: Math.max(0, Math.round(now - startedAt)),
      startedBy,
      height: video.videoHeight,
      player,
    })
  }
  // Older Firefox and Safari lack `requestVideoFrameCallback`; they use the `playing` event.
  const frame = video.requestVideoFrameCallback?.(start)
  const reportStall = () => {
    if (stalledAt === undefined) return
    const ms = Math.round(performance.now() - stalledAt)
    stalledAt = undefined
    if (ms >= minStallMs) report({ kind: 'stall', ms, at_ms: Math.round(video.currentTime * 1000) })
  }
  const listeners = {
    waiting: () => {
      // Waiting after a seek is expected and does not count as a stall.
      if (hasStarted && !video.seeking && !video.paused) stalledAt ??= performance.now()
    },
    playing: () => {
      if (frame === undefined) start(performance.now())
      reportStall()
    },
    pause: reportStall,
    seeking: () => (stalledAt = undefined),
    resize: () => {
      if (height > 0 && video.videoHeight !== height)
        report({ kind: 'rendition', fromHeight: height, height: video.videoHeight })
      height = video.videoHeight
    },
  }
  for (const [event, listener] of Object.entries(listeners)) video.addEventListener(event, listener)
  return () => {
    reportStall()
    document.removeEventListener('visibilitychange', recordHidden)
    if (frame !== undefined) video.cancelVideoFrameCallback(frame)
    for (const [event, listener] of Object.entries(listeners)) video.removeEventListener(event, listener)
  }
}
