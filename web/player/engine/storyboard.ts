/** One frame of a storyboard: its time, its picture and its position in it. */
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
const place = /^(.+)#xywh=(\d+),(\d+),(\d+),(\d+)$/

/** Reads a WebVTT storyboard whose cues name a part of a picture (`board.jpg#xywh=0,0,90,160`). What it can't read it leaves out. */
export function parseStoryboard(text: string, baseUrl: string): Frame[] {
  return text.split(/\r?\n\r?\n/).flatMap((block) => {
    const lines = block.trim().split(/\r?\n/)
    const at = lines.findIndex((line) => timing.test(line))
    const times = timing.exec(lines[at] ?? '')
    const where = place.exec(lines[at + 1] ?? '')
    if (!times || !where) return []
    const [x = 0, y = 0, width = 0, height = 0] = where.slice(2).map(Number)
    return [
      {
        fromMs: milliseconds(times.slice(1, 5)),
        toMs: milliseconds(times.slice(5, 9)),
        url: new URL(where[1] ?? '', baseUrl).href,
        x,
        y,
        width,
        height,
      },
    ]
  })
}

function milliseconds([hours = '0', minutes = '0', seconds = '0', thousandths = '0']: string[]): number {
  return ((Number(hours || 0) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000 + Number(thousandths)
}

/** The frame for a moment; after the last one's end, the last one. */
export function frameAt(frames: Frame[], ms: number): Frame | undefined {
  return frames.find(({ fromMs, toMs }) => ms >= fromMs && ms < toMs) ?? frames.at(-1)
}
