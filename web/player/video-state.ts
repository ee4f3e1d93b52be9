export interface VideoState {
  timeMs: number
  durationMs: number
  bufferedMs: number
  paused: boolean
  ended: boolean
  /** Plays as soon as data come: shown as a spinner after a moment. */
  waiting: boolean
  /** A frame has been shown. */
  started: boolean
}

/** What a video element is like now; as one that has nothing where there is none. */
export function readVideo(video: HTMLVideoElement | null): VideoState {
  if (!video)
    return {
      timeMs: 0,
      durationMs: 0,
      bufferedMs: 0,
      paused: true,
      ended: false,
      waiting: false,
      started: false,
    }
  const { buffered, currentTime, duration, paused, ended, readyState } = video
  return {
    timeMs: currentTime * 1000,
    durationMs: Number.isFinite(duration) ? duration * 1000 : 0,
    bufferedMs: buffered.length ? buffered.end(buffered.length - 1) * 1000 : 0,
    paused,
    ended,
    waiting: !paused && !ended && readyState < HTMLMediaElement.HAVE_FUTURE_DATA,
    started: readyState >= HTMLMediaElement.HAVE_CURRENT_DATA,
  }
}

/** A video holds its end already where less than this is missing. */
const slackMs = 500

/** Whether a video holds so much after where it is, or all that is left. */
export function isAhead({ timeMs, bufferedMs, durationMs }: VideoState, wantedMs: number): boolean {
  return bufferedMs - timeMs >= wantedMs || (durationMs > 0 && bufferedMs >= durationMs - slackMs)
}
