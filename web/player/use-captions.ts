import { useEffect } from 'react'

export interface Caption {
  lang: string
  label: string
  url: string
}

/** Captions stand above the foot of the rail and the controls, and beside the rail; in percent of the picture. */
const place = { line: 72, size: 76, position: 44 }
/** What the title, the progress bar and the buttons take at the picture's foot, and two lines of captions above it. */
const footPx = 136 + 60

/** In low windows the controls take more than their usual share of the picture. */
function lineIn({ clientHeight }: HTMLElement): number {
  const line = clientHeight > 0 ? (100 * (clientHeight - footPx)) / clientHeight : place.line
  return Math.max(0, Math.min(place.line, line))
}

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
    const arrangeAll = () => {
      const line = lineIn(video)
      for (const cue of track.track.cues ?? []) if (cue instanceof VTTCue) arrange(cue, line)
    }
    track.addEventListener('load', arrangeAll, { signal: listening.signal })
    const resized = new ResizeObserver(arrangeAll)
    resized.observe(video)
    video.append(track)
    track.track.mode = 'showing'
    return () => {
      resized.disconnect()
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

function arrange(cue: VTTCue, line: number): void {
  cue.snapToLines = false
  cue.line = line
  cue.size = place.size
  cue.position = place.position
  cue.align = 'center'
}
