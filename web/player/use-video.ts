import { useEffect, useState } from 'react'

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

const events = [
  'timeupdate',
  'seeking',
  'seeked',
  'durationchange',
  'play',
  'pause',
  'playing',
  'waiting',
  'ended',
  'loadeddata',
  'canplay',
  'progress',
]

/** Follows a video element. */
export function useVideoState(video: HTMLVideoElement | null): VideoState {
  const [state, setState] = useState<VideoState>(() => read(video))
  useEffect(() => {
    if (!video) return
    const update = () => setState(read(video))
    update()
    for (const event of events) video.addEventListener(event, update)
    return () => {
      for (const event of events) video.removeEventListener(event, update)
    }
  }, [video])
  return state
}

function read(video: HTMLVideoElement | null): VideoState {
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
