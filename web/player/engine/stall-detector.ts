const checkIntervalMs = 1000
const toleranceSeconds = 0.5

/**
 * Detects a stall: a video that should play has neither advanced nor received data for a while. Counts checks instead
 * of time, because timers are suspended while the page is in the background.
 * @param progress returns a text that changes with any other sign of progress, such as received bytes
 * @returns a function that ends the detection
 */
export function detectStall(
  video: HTMLVideoElement,
  afterMs: number,
  onStall: () => void,
  progress: () => string = () => '',
): () => void {
  let previousState = ''
  let unchangedChecks = 0
  const check = () => {
    if (video.paused || video.ended || document.hidden) {
      previousState = ''
      return
    }
    const position = isVideoBuffered(video) ? video.currentTime : 'sound alone'
    const state = `${position} ${secondsBuffered(video)} ${progress()}`
    unchangedChecks = state !== previousState ? 0 : unchangedChecks + 1
    previousState = state
    if (unchangedChecks * checkIntervalMs < afterMs) return
    unchangedChecks = 0
    onStall()
  }
  let timer: ReturnType<typeof setInterval> | undefined
  const start = () => (timer ??= setInterval(check, checkIntervalMs))
  const stop = () => {
    clearInterval(timer)
    timer = undefined
    previousState = ''
  }
  // Checks only while the video plays: the neighbours of the stream on screen are paused.
  video.addEventListener('play', start)
  video.addEventListener('pause', stop)
  if (!video.paused) start()
  return () => {
    stop()
    video.removeEventListener('play', start)
    video.removeEventListener('pause', stop)
  }
}

/**
 * Returns whether video is buffered at the position. After a damaged segment the element may continue with audio only.
 * Browsers report a range as buffered only if it has both audio and video.
 */
function isVideoBuffered({ buffered, currentTime }: HTMLVideoElement): boolean {
  for (let i = 0; i < buffered.length; i++)
    if (
      currentTime >= buffered.start(i) - toleranceSeconds &&
      currentTime <= buffered.end(i) + toleranceSeconds
    )
      return true
  return false
}

function secondsBuffered({ buffered }: HTMLVideoElement): number {
  let seconds = 0
  for (let i = 0; i < buffered.length; i++) seconds += buffered.end(i) - buffered.start(i)
  return seconds
}
