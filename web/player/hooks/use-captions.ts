import { useEffect, useRef, type RefObject } from 'react'

export interface Caption {
  lang: string
  label: string
  url: string
}

/** Where the video leaves the page, which only the browser can draw on. */
const leaves = ['webkitbeginfullscreen', 'enterpictureinpicture']
const comesBack = ['webkitendfullscreen', 'leavepictureinpicture']

/**
 * Shows one of the captions in this box over the video, or none: at the top where they are placed there, else at the foot, and at
 * the side that they are aligned to. The browser itself would paint captions of the same time over each other, and long ones over
 * the controls.
 */
export function useCaptions(
  video: HTMLVideoElement | null,
  caption: Caption | undefined,
  htmlLang: string,
): RefObject<HTMLDivElement | null> {
  const box = useRef<HTMLDivElement>(null)
  const { url, label } = caption ?? {}
  useEffect(() => {
    if (!video || !url) return
    const element = captionTrack(url, htmlLang, label ?? htmlLang)
    const { track } = element
    // Chromium keeps a track for the life of the page, so it must not reference the video.
    const listening = new AbortController()
    const { signal } = listening
    const draw = () => {
      const cues = track.mode === 'hidden' ? [...(track.activeCues ?? [])] : []
      const drawn = cues.flatMap((cue) => (cue instanceof VTTCue ? drawCue(cue) : []))
      const at = (place: string) => drawn.filter(({ dataset }) => dataset['place'] === place)
      const columns = ['left', 'right'].map((side) => drawColumns(side, at(side)))
      box.current?.replaceChildren(...columns, ...at('top'), ...at('foot'))
    }
    const show = (mode: TextTrackMode) => {
      track.mode = mode
      draw()
    }
    track.addEventListener('cuechange', draw, { signal })
    for (const event of leaves) video.addEventListener(event, () => show('showing'), { signal })
    for (const event of comesBack) video.addEventListener(event, () => show('hidden'), { signal })
    video.append(element)
    show('hidden')
    return () => {
      listening.abort()
      show('disabled')
      element.remove()
    }
  }, [video, url, label, htmlLang])
  return box
}

function drawCue(cue: VTTCue): HTMLElement {
  const line = document.createElement('p')
  line.dir = 'auto'
  line.dataset['place'] = placeOf(cue)
  if (cue.align !== 'center') line.dataset['align'] = cue.align
  if (cue.vertical !== '') line.dataset['vertical'] = cue.vertical
  line.append(cue.getCueAsHTML())
  return line
}

/** Of about fifteen lines that a picture has. */
const upperLines = 7

/**
 * A cue's `line` counts from the top (below 0: from the foot), or is a share of the height in percent. In text that runs
 * downwards it counts columns: from the left where they grow to the right (`lr`), from the right where they grow to the left.
 */
function placeOf({ line, snapToLines, vertical }: VTTCue): 'top' | 'foot' | 'left' | 'right' {
  const isFirst = line !== 'auto' && (snapToLines ? line >= 0 && line < upperLines : line < 50)
  if (vertical === '') return isFirst ? 'top' : 'foot'
  const isLeft = vertical === 'rl' && snapToLines ? !isFirst : isFirst
  return isLeft ? 'left' : 'right'
}

/** Captions that run downwards, side by side at one side of the picture. */
function drawColumns(side: string, captions: HTMLElement[]): HTMLElement {
  const columns = document.createElement('div')
  columns.dataset['side'] = side
  columns.append(...captions)
  return columns
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
