import { expect, test } from 'vitest'
import { collectTimes } from './packet-times.ts'

/**
 * Returns the end of the video in seconds, for a film whose frames start at these times (ms). `duration` is the stated
 * duration of each frame (ms), or 0 if none is stated.
 */
function pictureEndOf(starts: readonly number[], duration: number): number | undefined {
  const { addLine, times } = collectTimes()
  addLine('#tb 0: 1/1000')
  for (const at of starts) addLine(`0, ${at}, ${at}, ${duration}, 100, 0x0`)
  return times()?.pictureEnd
}

const moving = Array.from({ length: 50 }, (_, frame) => 40 * frame)

test.each([
  { film: 'that moves', starts: moving, end: 2 },
  { film: 'that stood still for a minute before it', starts: [...moving, 62_000], end: 62.04 },
  { film: 'that moved fast before it', starts: [0, 1000, 2000, 3000, 3040], end: 3.08 },
  { film: 'of one frame a second', starts: [0, 1000, 2000], end: 3 },
  { film: 'of two frames', starts: [0, 1000], end: 2 },
  { film: 'of a single frame', starts: [0], end: 0 },
])('without a stated duration, the last frame of a film $film ends at $end s', ({ starts, end }) => {
  expect(pictureEndOf(starts, 0)).toBeCloseTo(end)
})

test('a stated duration of the last frame is kept, however long it is', () => {
  expect(pictureEndOf([0, 40, 80], 9000)).toBeCloseTo(9.08)
})
