const lookEveryMs = 1000
const slackSeconds = 0.5

/**
 * Tells of a video that should play and has neither moved nor been given anything for so long: whatever the player still tries,
 * to the person it stands still. Looks are counted, not time: while a page is in the background its timers sleep.
 * @param progress what else shows that something comes, such as bytes on their way
 * @returns what ends it
 */
export function watchStandstill(
  video: HTMLVideoElement,
  afterMs: number,
  tell: () => void,
  progress: () => string = () => '',
): () => void {
  let before = ''
  let still = 0
  const look = () => {
    const rests = video.paused || video.ended || document.hidden
    const moved = hasPicture(video) ? video.currentTime : 'sound alone'
    const state = `${moved} ${secondsHeld(video)} ${progress()}`
    still = rests || state !== before ? 0 : still + 1
    before = state
    if (still * lookEveryMs < afterMs) return
    still = 0
    tell()
  }
  const timer = setInterval(look, lookEveryMs)
  return () => clearInterval(timer)
}

/** Behind a damaged segment the sound may go on by itself: what is held is held of both. */
function hasPicture({ buffered, currentTime }: HTMLVideoElement): boolean {
  for (let i = 0; i < buffered.length; i++)
    if (currentTime >= buffered.start(i) - slackSeconds && currentTime <= buffered.end(i) + slackSeconds)
      return true
  return false
}

function secondsHeld({ buffered }: HTMLVideoElement): number {
  let seconds = 0
  for (let i = 0; i < buffered.length; i++) seconds += buffered.end(i) - buffered.start(i)
  return seconds
}
