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
    const track = document.createElement('track')
    track.kind = 'captions'
    track.srclang = htmlLang
    track.label = label ?? htmlLang
    track.src = url
    track.addEventListener('load', () => {
      for (const cue of track.track.cues ?? []) if (cue instanceof VTTCue) arrange(cue)
    })
    video.append(track)
    track.track.mode = 'showing'
    return () => track.remove()
  }, [video, url, label, htmlLang])
}

function arrange(cue: VTTCue): void {
  cue.snapToLines = false
  cue.line = place.line
  cue.size = place.size
  cue.position = place.position
  cue.align = 'center'
}
