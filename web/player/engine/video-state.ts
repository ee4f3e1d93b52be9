/** The part of the state that changes seldom during playback. */
export interface PlayState {
  durationMs: number
  paused: boolean
  ended: boolean
  /** True if playback waits for data; after a moment, a spinner is shown. */
  waiting: boolean
  /** True if a frame has been shown. */
  started: boolean
}

/** The play state, and the values that change several times a second. */
export interface VideoState extends PlayState {
  timeMs: number
  bufferedMs: number
}

/** Returns the state of a video element; an empty state if there is none. */
export function readVideo(video: HTMLVideoElement | null): VideoState {
  return {
    ...readPlayState(video),
    timeMs: (video?.currentTime ?? 0) * 1000,
    // A getter, because reading it is expensive and few listeners need it.
    get bufferedMs() {
      const { buffered } = video ?? {}
      return buffered?.length ? buffered.end(buffered.length - 1) * 1000 : 0
    },
  }
}

/** Returns the part of the state that screens render. */
export function readPlayState(video: HTMLVideoElement | null): PlayState {
  if (!video) return { durationMs: 0, paused: true, ended: false, waiting: false, started: false }
  const { duration, paused, ended, readyState } = video
  return {
    durationMs: Number.isFinite(duration) ? duration * 1000 : 0,
    paused,
    ended,
    waiting: !paused && !ended && readyState < HTMLMediaElement.HAVE_FUTURE_DATA,
    started: readyState >= HTMLMediaElement.HAVE_CURRENT_DATA,
  }
}

/** If at most this much is missing at the end, the video counts as completely buffered. */
const toleranceMs = 500

/** Returns whether at least `wantedMs` after the position, or everything up to the end, is buffered. */
export function hasBuffered({ timeMs, bufferedMs, durationMs }: VideoState, wantedMs: number): boolean {
  return bufferedMs - timeMs >= wantedMs || (durationMs > 0 && bufferedMs >= durationMs - toleranceMs)
}
