import { expect, test } from 'vitest'
import { planFrameRate, planLadder, displaySize } from './plan-ladder.ts'

const frameRate = { num: 25, den: 1 }
const sizes = (width: number, height: number) =>
  planLadder({ width, height, frameRate, hasAudio: true }).renditions.map(
    (rendition) => `${rendition.width}x${rendition.height}`,
  )

test.each([
  { source: [1080, 1920], renditions: ['1080x1920', '720x1280', '480x854', '360x640'] },
  { source: [720, 1280], renditions: ['720x1280', '480x854', '360x640'] },
  { source: [854, 480], renditions: ['854x480', '640x360'] },
  { source: [640, 360], renditions: ['640x360', '426x240'] },
  { source: [480, 204], renditions: ['480x204'] },
  { source: [2160, 3840], renditions: ['1080x1920', '720x1280', '480x854', '360x640'] },
  { source: [2560, 1080], renditions: ['1920x810', '1138x480', '854x360'] },
  { source: [3, 5], renditions: ['2x4'] },
])('a source of $source is converted to $renditions', ({ source: [width = 0, height = 0], renditions }) => {
  expect(sizes(width, height)).toEqual(renditions)
})

test('each rendition has even sides, is not larger than its source and has the same aspect ratio', () => {
  for (let width = 40; width < 2400; width += 97) {
    for (let height = 40; height < 2400; height += 89) {
      for (const rendition of planLadder({ width, height, frameRate, hasAudio: false }).renditions) {
        expect(rendition.width).toBeLessThanOrEqual(width)
        expect(rendition.height).toBeLessThanOrEqual(height)
        expect((rendition.width % 2) + (rendition.height % 2)).toBe(0)
        expect(Math.abs(rendition.width - (rendition.height * width) / height)).toBeLessThanOrEqual(
          1 + Math.max(1, width / height) * 2,
        )
      }
    }
  }
})

test('the lowest rendition and its audio need at most 400 kbit/s, even in the worst second', () => {
  for (const hasAudio of [true, false]) {
    const lowest = planLadder({ width: 720, height: 1280, frameRate, hasAudio }).renditions.at(-1)
    // In the worst second, the video has its maximum rate, plus half of the encoder's rate buffer. 115 kbit/s are the
    // audio and the container, 5 kbit/s the container alone.
    expect((lowest?.maxRate ?? 0) + (lowest?.buffer ?? 0) / 2 + (hasAudio ? 115 : 5)).toBeLessThanOrEqual(400)
  }
})

test.each([
  { source: [24, 1], planned: [24, 1] },
  { source: [30000, 1001], planned: [30000, 1001] },
  { source: [60, 1], planned: [30, 1] },
  { source: [60000, 1001], planned: [30000, 1001] },
  { source: [50, 1], planned: [25, 1] },
  { source: [120, 1], planned: [30, 1] },
  { source: [12, 1], planned: [12, 1] },
  { source: [1, 1], planned: [10, 1] },
  { source: [2837, 119], planned: [24000, 1001] },
  { source: [1871, 119], planned: [16, 1] },
  { source: [25, 2], planned: [25, 1] },
  { source: [12_500, 1000], planned: [25, 1] },
  { source: [15, 2], planned: [15, 1] },
  { source: [7, 1], planned: [14, 1] },
  { source: [40, 3], planned: [40, 3] },
  { source: [31, 2], planned: [31, 2] },
  { source: [15000, 1001], planned: [15000, 1001] },
  { source: [1, 10], planned: [10, 1] },
  { source: [125, 2], planned: [125, 6] },
  { source: [0, 0], planned: [30, 1] },
])('a frame rate of $source becomes $planned', ({ source: [num = 0, den = 0], planned }) => {
  const rate = planFrameRate({ num, den })
  expect([rate.num, rate.den]).toEqual(planned)
})

test('the size of a frame is its displayed size: rotated, with square pixels, not enlarged', () => {
  expect(displaySize({ width: 1920, height: 1080, pixelShape: { num: 1, den: 1 }, rotation: -90 })).toEqual({
    width: 1080,
    height: 1920,
  })
  expect(displaySize({ width: 720, height: 576, pixelShape: { num: 16, den: 11 }, rotation: 0 })).toEqual({
    width: 720,
    height: 396,
  })
  expect(displaySize({ width: 720, height: 480, pixelShape: { num: 8, den: 9 }, rotation: 180 })).toEqual({
    width: 640,
    height: 480,
  })
  expect(displaySize({ width: 640, height: 360, pixelShape: { num: 0, den: 1 }, rotation: 0 })).toEqual({
    width: 640,
    height: 360,
  })
})
