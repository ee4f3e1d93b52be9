import { useEffect, useState } from 'react'
import { readVideo, type VideoState } from './video-state.ts'

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
  const [state, setState] = useState<VideoState>(() => readVideo(video))
  useEffect(() => {
    if (!video) return
    const update = () => setState(readVideo(video))
    update()
    for (const event of events) video.addEventListener(event, update)
    return () => {
      for (const event of events) video.removeEventListener(event, update)
    }
  }, [video])
  return state
}
