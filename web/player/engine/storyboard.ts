/** One frame of a storyboard: its time range, the image that contains it, and its position in that image. */
export interface Frame {
  fromMs: number
  toMs: number
  url: string
  x: number
  y: number
  width: number
  height: number
}

const timing = /^(?:(\d+):)?(\d\d):(\d\d)\.(\d{3})\s+-->\s+(?:(\d+):)?(\d\d):(\d\d)\.(\d{3})/
const imageRegion = /^(.+)#xywh=(\d+),(\d+),(\d+),(\d+)$/

/** Parses a WebVTT storyboard whose cues name a part of an image (`board.jpg#xywh=0,0,90,160`). Skips invalid cues. */
export function parseStoryboard(text: string, baseUrl: string): Frame[] {
  return text.split(/\r?\n\r?\n/).flatMap((block) => {
    const lines = block.trim().split(/\r?\n/)
    const timingIndex = lines.findIndex((line) => timing.test(line))
    const times = timing.exec(lines[timingIndex] ?? '')
    const region = imageRegion.exec(lines[timingIndex + 1] ?? '')
    if (!times || !region) return []
    const [x = 0, y = 0, width = 0, height = 0] = region.slice(2).map(Number)
    return [
      {
        fromMs: toMilliseconds(times.slice(1, 5)),
        toMs: toMilliseconds(times.slice(5, 9)),
        url: new URL(region[1] ?? '', baseUrl).href,
        x,
        y,
        width,
        height,
      },
    ]
  })
}

function toMilliseconds([hours = '0', minutes = '0', seconds = '0', thousandths = '0']: string[]): number {
  return ((Number(hours || 0) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000 + Number(thousandths)
}

/** Returns the frame at a time; after the end, the last frame. */
export function frameAt(frames: Frame[], ms: number): Frame | undefined {
  return frames.find(({ fromMs, toMs }) => ms >= fromMs && ms < toMs) ?? frames.at(-1)
}
