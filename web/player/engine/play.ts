import { preferences } from './preferences.ts'

/** Starts a video; if the browser refuses sound, starts it muted. */
export async function play(video: HTMLVideoElement): Promise<void> {
  try {
    await video.play()
  } catch (error) {
    if (!(error instanceof DOMException) || error.name !== 'NotAllowedError' || video.muted) return
    preferences.set({ mutedByBrowser: true })
    video.muted = true
    await video.play().catch(() => {})
  }
}
