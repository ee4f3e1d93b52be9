const lookEveryMs = 1000
const slackSeconds = 0.5

/**
 * Detects a stall: a video that should play has neither advanced nor received data for a while. Checks are counted instead of time,
 * because timers are suspended while a page is in the background.
 * @param progress other signs of progress, such as bytes being received
 * @returns a function that ends the detection
 */
export function detectStall(
  video: HTMLVideoElement,
  afterMs: number,
  onStall: () => void,
  progress: () => string = () => '',
): () => void {
  let before = ''
  let still = 0
  const look = () => {
    if (video.paused || video.ended || document.hidden) {
      before = ''
      return
    }
    const moved = hasPicture(video) ? video.currentTime : 'sound alone'
    const state = `${moved} ${secondsBuffered(video)} ${progress()}`
    still = state !== before ? 0 : still + 1
    before = state
    if (still * lookEveryMs < afterMs) return
    still = 0
    onStall()
  }
  let timer: ReturnType<typeof setInterval> | undefined
  const begin = () => (timer ??= setInterval(look, lookEveryMs))
  const end = () => {
    clearInterval(timer)
    timer = undefined
    before = ''
  }
  // The neighbours of the episode on screen need no checks.
  video.addEventListener('play', begin)
  video.addEventListener('pause', end)
  if (!video.paused) begin()
  return () => {
    end()
    video.removeEventListener('play', begin)
    video.removeEventListener('pause', end)
  }
}

/**
 * Returns whether video is buffered at the position. After a damaged segment the audio may continue alone, and only ranges with
 * both count.
 */
function hasPicture({ buffered, currentTime }: HTMLVideoElement): boolean {
  for (let i = 0; i < buffered.length; i++)
    if (currentTime >= buffered.start(i) - slackSeconds && currentTime <= buffered.end(i) + slackSeconds)
      return true
  return false
}

function secondsBuffered({ buffered }: HTMLVideoElement): number {
  let seconds = 0
  for (let i = 0; i < buffered.length; i++) seconds += buffered.end(i) - buffered.start(i)
  return seconds
}
