/** Keeps the current frame on screen as the poster while the element changes its source. */
export function freezeFrame(video: HTMLVideoElement): void {
  if (video.readyState < HTMLMediaElement.HAVE_CURRENT_DATA) return
  const canvas = document.createElement('canvas')
  canvas.width = video.videoWidth
  canvas.height = video.videoHeight
  canvas.getContext('2d')?.drawImage(video, 0, 0)
  try {
    video.poster = canvas.toDataURL('image/jpeg')
  } catch {
    // Frames of a video from another host may not be readable (CORS).
  }
}
