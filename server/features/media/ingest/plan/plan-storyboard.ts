import type { LadderPlan } from './plan-ladder.ts'

/** Preview images for seeking: one sheet of equal tiles, row by row. */
export interface StoryboardPlan {
  /** Seconds from one tile to the next. */
  interval: number
  columns: number
  rows: number
  tileWidth: number
  tileHeight: number
  count: number
}

const maxTiles = 100
const columns = 10
const tileArea = 160 * 90

/** Plans a tile every two seconds. In a long episode, the tiles are further apart, because there are at most 100. */
export function planStoryboard(plan: LadderPlan, seconds: number): StoryboardPlan {
  const interval = Math.max(2, Math.ceil(seconds / maxTiles))
  const count = Math.max(1, Math.ceil(seconds / interval))
  const { width, height } = plan.renditions[0] ?? { width: 16, height: 9 }
  const scale = Math.min(1, Math.sqrt(tileArea / (width * height)))
  const scaleToEven = (side: number) => Math.max(2, 2 * Math.round((side * scale) / 2))
  return {
    interval,
    columns: Math.min(columns, count),
    rows: Math.ceil(count / columns),
    tileWidth: scaleToEven(width),
    tileHeight: scaleToEven(height),
    count,
  }
}

/**
 * Plans the candidate frames for the poster: their number, and their distance in seconds. All are in the first 12
 * seconds.
 */
export function planCandidates(seconds: number): { count: number; interval: number } {
  return { count: 5, interval: Math.max(0.2, Math.min(3, seconds / 6)) }
}

/** Writes the WebVTT file that maps times to tiles of the storyboard sheet. */
export function storyboardVtt(plan: StoryboardPlan, durationMs: number): string {
  const cues: string[] = []
  for (let index = 0; index < plan.count; index++) {
    const from = index * plan.interval * 1000
    if (from >= durationMs) break
    const to = index === plan.count - 1 ? durationMs : Math.min(durationMs, from + plan.interval * 1000)
    const x = (index % plan.columns) * plan.tileWidth
    const y = Math.floor(index / plan.columns) * plan.tileHeight
    cues.push(
      `${vttTime(from)} --> ${vttTime(to)}\nstoryboard.jpg#xywh=${x},${y},${plan.tileWidth},${plan.tileHeight}`,
    )
  }
  return `WEBVTT\n\n${cues.join('\n\n')}\n`
}

/** Formats milliseconds for WebVTT: 00:01:02.345. */
export function vttTime(ms: number): string {
  const padTwoDigits = (value: number) => String(value).padStart(2, '0')
  const totalMs = Math.round(ms)
  const seconds = Math.floor(totalMs / 1000)
  return `${padTwoDigits(Math.floor(seconds / 3600))}:${padTwoDigits(Math.floor(seconds / 60) % 60)}:${padTwoDigits(seconds % 60)}.${String(totalMs % 1000).padStart(3, '0')}`
}
