import { useEffect } from 'react'

export interface Caption {
  lang: string
  label: string
  url: string
}

/** Captions stand above the foot of the rail and the controls, and beside the rail; in percent of the picture. */
const place = { line: 72, size: 76, position: 44 }

/** Shows one of the captions on the video, or none. The browser draws them. */
export function useCaptions(
  video: HTMLVideoElement | null,
  caption: Caption | undefined,
  htmlLang: string,
): void {
  const { url, label } = caption ?? {}
  useEffect(() => {
    if (!video || !url) return
    const track = captionTrack(url, htmlLang, label ?? htmlLang)
    // Chromium keeps a track for as long as the page lives: it must hold nothing of the video.
    const listening = new AbortController()
    track.addEventListener('load', arrangeAll, { signal: listening.signal })
    video.append(track)
    track.track.mode = 'showing'
    return () => {
      listening.abort()
      track.track.mode = 'disabled'
      track.remove()
    }
  }, [video, url, label, htmlLang])
}

/** A track as the browser takes it; `htmlLang` such as `de`. */
export function captionTrack(url: string, htmlLang: string, label: string): HTMLTrackElement {
  const track = document.createElement('track')
  track.kind = 'captions'
  track.srclang = htmlLang
  track.label = label
  track.src = url
  return track
}

function arrangeAll({ target }: Event): void {
  if (!(target instanceof HTMLTrackElement)) return
  for (const cue of target.track.cues ?? []) if (cue instanceof VTTCue) arrange(cue)
}

function arrange(cue: VTTCue): void {
  cue.snapToLines = false
  cue.line = place.line
  cue.size = place.size
  cue.position = place.position
  cue.align = 'center'
}
