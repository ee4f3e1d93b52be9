import { useEffect, useState } from 'react'
import { readPlayState, type PlayState } from '#web/player/engine/video-state.ts'

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

/**
 * Runs a function now and on each change of the video: several times a second during playback.
 * @returns a function that unsubscribes
 */
export function subscribeToVideo(video: HTMLVideoElement, run: () => void): () => void {
  run()
  for (const event of events) video.addEventListener(event, run)
  return () => {
    for (const event of events) video.removeEventListener(event, run)
  }
}

/** Returns the playback state without the position, so that playback alone causes no rendering. */
export function usePlayState(video: HTMLVideoElement | null): PlayState {
  const [state, setState] = useState<PlayState>(() => readPlayState(video))
  useEffect(() => {
    if (!video) return
    let lastState: PlayState | undefined
    return subscribeToVideo(video, () => {
      const newState = readPlayState(video)
      if (lastState && isSamePlayState(lastState, newState)) return
      lastState = newState
      setState(newState)
    })
  }, [video])
  return state
}

function isSamePlayState(one: PlayState, other: PlayState): boolean {
  return (
    one.durationMs === other.durationMs &&
    one.paused === other.paused &&
    one.ended === other.ended &&
    one.waiting === other.waiting &&
    one.started === other.started
  )
}
