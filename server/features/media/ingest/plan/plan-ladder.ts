/** Properties of a source for planning. Width and height are as displayed: rotated, with square pixels. */
export interface SourceShape {
  width: number
  height: number
  /** Frames a second as a fraction, such as 30000/1001. */
  frameRate: Fraction
  hasAudio: boolean
}

export interface Fraction {
  num: number
  den: number
}

/** One rendition of an episode. `maxRate` is in kbit/s, `buffer` in kbit. `crf` is x264's quality; lower is better. */
export interface Rendition {
  width: number
  height: number
  crf: number
  maxRate: number
  buffer: number
}

export interface LadderPlan {
  frameRate: Fraction
  /** The renditions, the largest first. */
  renditions: Rendition[]
  hasAudio: boolean
}

const shortSides = [720, 480, 360]
const maxLongSide = 1920
const maxShortSide = 1080
/** Maximum size of the second rendition relative to the largest. A smaller difference would not justify a rendition. */
const minStep = 0.8
const maxFrameRate = 30.5
const minFrameRate = 10

/**
 * Maximum video rate of the lowest rendition in kbit/s. With 96 kbit/s of audio and the container, its worst second
 * remains below 400 kbit/s.
 */
const lowestRate = { withSound: 215, silent: 310 }

/**
 * Plans the renditions of an episode. None is larger than the source or 1080p, and all have the source's aspect ratio.
 * The lowest rendition needs at most 400 kbit/s in total.
 */
export function planLadder(source: SourceShape): LadderPlan {
  const short = Math.min(source.width, source.height)
  const long = Math.max(source.width, source.height)
  const top = short * Math.min(1, maxShortSide / short, maxLongSide / long)
  const sides = [top, ...sidesBelow(top)]
  const renditions = sides.map((side, index) =>
    planRendition(source, side / short, index === sides.length - 1),
  )
  return { frameRate: planFrameRate(source.frameRate), renditions, hasAudio: source.hasAudio }
}

function sidesBelow(top: number): number[] {
  const standardSides = shortSides.filter((side) => side <= top * minStep)
  if (standardSides.length > 0) return standardSides
  return 240 <= top * minStep ? [240] : []
}

function planRendition(source: SourceShape, scale: number, lowest: boolean): Rendition {
  const width = roundToEven(source.width * scale, source.width)
  const height = roundToEven(source.height * scale, source.height)
  if (lowest) {
    const rate = source.hasAudio ? lowestRate.withSound : lowestRate.silent
    // Half a second of buffer keeps every segment below the limit, and not only the average of the segments.
    return { width, height, crf: 25, maxRate: rate, buffer: Math.round(rate / 2) }
  }
  const maxRate = Math.round(2400 * ((width * height) / (720 * 1280)) ** 0.75)
  return { width, height, crf: 23, maxRate, buffer: maxRate }
}

/** Rounds a side to the nearest even number, as H.264 at 4:2:0 needs, but never above the source. */
function roundToEven(side: number, limit: number): number {
  const nearest = 2 * Math.round(side / 2)
  return Math.max(2, nearest > limit ? nearest - 2 : nearest)
}

/**
 * Plans the frame rate: the source's own up to 30, half of 50 and 60, a quarter of 120. Rates below 10 and fractions
 * such as 12.5 are multiplied, so that each frame keeps its time. A variable rate is rounded up to a whole number.
 */
export function planFrameRate(source: Fraction): Fraction {
  const standardRates = [24000 / 1001, 24, 25, 30000 / 1001, 30]
  const rate = source.num / source.den
  if (!Number.isFinite(rate) || rate <= 0) return { num: 30, den: 1 }
  if (rate > maxFrameRate)
    return planFrameRate({ num: source.num, den: source.den * Math.ceil(rate / maxFrameRate) })
  const nearest = standardRates.find(
    (one) =>
      Math.abs(one - rate) < 0.01 * one && Math.abs(one - rate) <= Math.abs(rate - Math.round(rate)) + 1e-9,
  )
  if (nearest !== undefined)
    return Number.isInteger(nearest)
      ? { num: nearest, den: 1 }
      : { num: Math.round(nearest * 1001), den: 1001 }
  return toMinFrameRate(reduceFraction(source))
}

/**
 * A frame rate whose denominator is larger than this is the average of a variable rate. The exception is 1001, the
 * denominator of NTSC rates.
 */
const largestDivisor = 12

function toMinFrameRate({ num, den }: Fraction): Fraction {
  if (den > largestDivisor && den !== 1001)
    return { num: Math.max(minFrameRate, Math.ceil(num / den - 1e-6)), den: 1 }
  const whole = num <= maxFrameRate ? { num, den: 1 } : { num, den }
  return { num: whole.num * Math.max(1, Math.ceil((minFrameRate * whole.den) / whole.num)), den: whole.den }
}

function reduceFraction({ num, den }: Fraction): Fraction {
  let [divisor, rest] = [num, den]
  while (rest > 0) [divisor, rest] = [rest, divisor % rest]
  return { num: num / divisor, den: den / divisor }
}

/** Returns the display size of a frame. Pixels become square by shrinking. A quarter turn swaps the sides. */
export function displaySize(coded: {
  width: number
  height: number
  pixelShape: Fraction
  rotation: number
}): {
  width: number
  height: number
} {
  const shape = coded.pixelShape.num / coded.pixelShape.den
  const hasShape = Number.isFinite(shape) && shape > 0
  const width = Math.max(1, Math.round(hasShape && shape < 1 ? coded.width * shape : coded.width))
  const height = Math.max(1, Math.round(hasShape && shape > 1 ? coded.height / shape : coded.height))
  return Math.abs(coded.rotation) % 180 === 90 ? { width: height, height: width } : { width, height }
}
