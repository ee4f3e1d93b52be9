/** What changes seldom while a video plays. */
export interface PlayState {
  durationMs: number
  paused: boolean
  ended: boolean
  /** Plays as soon as data come: shown as a spinner after a moment. */
  waiting: boolean
  /** A frame has been shown. */
  started: boolean
}

/** With what changes several times a second. */
export interface VideoState extends PlayState {
  timeMs: number
  bufferedMs: number
}

/** The current state of a video element; an empty state if there is none. */
export function readVideo(video: HTMLVideoElement | null): VideoState {
  return {
    ...readPlayState(video),
    timeMs: (video?.currentTime ?? 0) * 1000,
    // Expensive to read, and needed by few of the listeners that are called several times a second.
    get bufferedMs() {
      const { buffered } = video ?? {}
      return buffered?.length ? buffered.end(buffered.length - 1) * 1000 : 0
    },
  }
}

/** The part of it that screens are drawn by. */
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

/** A video holds its end already where less than this is missing. */
const slackMs = 500

/** Whether a video has buffered this much after its position, or all that is left. */
export function isAhead({ timeMs, bufferedMs, durationMs }: VideoState, wantedMs: number): boolean {
  return bufferedMs - timeMs >= wantedMs || (durationMs > 0 && bufferedMs >= durationMs - slackMs)
}
