import { useEffect, useRef, type RefObject } from 'react'

export interface Caption {
  lang: string
  label: string
  url: string
}

/** Events that begin a view in which the page cannot draw captions: full screen on an iPhone, or picture-in-picture. */
const enterSystemViewEvents = ['webkitbeginfullscreen', 'enterpictureinpicture']
const leaveSystemViewEvents = ['webkitendfullscreen', 'leavepictureinpicture']

/**
 * Shows one caption track, or none, in a box over the video. Captions are at the top if their cues are placed there,
 * else at the bottom. The browser itself would draw simultaneous cues over each other, and long cues over the controls.
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
    // Chromium keeps a track in memory until the page is closed. Its listeners reference the video, so they are removed
    // at the end.
    const listening = new AbortController()
    const { signal } = listening
    const draw = () => {
      const cues = track.mode === 'hidden' ? [...(track.activeCues ?? [])] : []
      const drawn = cues.flatMap((cue) => (cue instanceof VTTCue ? drawCue(cue) : []))
      const cuesAt = (place: string) => drawn.filter(({ dataset }) => dataset['place'] === place)
      const columns = ['left', 'right'].map((side) => drawColumns(side, cuesAt(side)))
      box.current?.replaceChildren(...columns, ...cuesAt('top'), ...cuesAt('foot'))
    }
    const show = (mode: TextTrackMode) => {
      track.mode = mode
      draw()
    }
    track.addEventListener('cuechange', draw, { signal })
    for (const event of enterSystemViewEvents)
      video.addEventListener(event, () => show('showing'), { signal })
    for (const event of leaveSystemViewEvents) video.addEventListener(event, () => show('hidden'), { signal })
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
  line.dataset['place'] = positionOf(cue)
  if (cue.align !== 'center') line.dataset['align'] = cue.align
  if (cue.vertical !== '') line.dataset['vertical'] = cue.vertical
  line.append(cue.getCueAsHTML())
  return line
}

/** Cues on these first lines are shown at the top; a frame has about fifteen lines. */
const upperLines = 7

/**
 * Returns a cue's position. `line` counts lines from the top (if negative, from the bottom), or is a percentage of the
 * height. For vertical text it counts columns: from the left for `lr` (columns grow to the right), else from the right.
 */
function positionOf({ line, snapToLines, vertical }: VTTCue): 'top' | 'foot' | 'left' | 'right' {
  const isUpper = line !== 'auto' && (snapToLines ? line >= 0 && line < upperLines : line < 50)
  if (vertical === '') return isUpper ? 'top' : 'foot'
  const isLeft = vertical === 'rl' && snapToLines ? !isUpper : isUpper
  return isLeft ? 'left' : 'right'
}

/** Renders vertical captions as columns at one side of the video. */
function drawColumns(side: string, captions: HTMLElement[]): HTMLElement {
  const columns = document.createElement('div')
  columns.dataset['side'] = side
  columns.append(...captions)
  return columns
}

/** Creates a track element; `htmlLang` is a code such as `de`. */
export function captionTrack(url: string, htmlLang: string, label: string): HTMLTrackElement {
  const track = document.createElement('track')
  track.kind = 'captions'
  track.srclang = htmlLang
  track.label = label
  track.src = url
  return track
}
