/** What matters of a source for planning. Width and height are of the picture as shown: turned upright, pixels square. */
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

/** One picture size of an episode. Rates in kbit/s; `crf` is x264's quality, lower is better. */
export interface Rendition {
  width: number
  height: number
  crf: number
  maxRate: number
  buffer: number
}

export interface LadderPlan {
  frameRate: Fraction
  /** The largest first. */
  rungs: Rendition[]
  hasAudio: boolean
}

const shortSides = [720, 480, 360]
const longestSide = 1920
const largestShortSide = 1080
/** A step smaller than this is not worth a rung of its own. */
const step = 0.8
const fastest = 30.5
const slowest = 10

/** The picture's share of the lowest rung's 400 kbit/s at its worst second, beside 96 kbit/s of sound and the container. */
const lowestRate = { withSound: 215, silent: 310 }

/**
 * The sizes an episode is made in: never larger than the source nor 1080p, all of the source's shape, the lowest within
 * 400 kbit/s in all (issue: "ingest").
 */
export function planLadder(source: SourceShape): LadderPlan {
  const short = Math.min(source.width, source.height)
  const long = Math.max(source.width, source.height)
  const top = short * Math.min(1, largestShortSide / short, longestSide / long)
  const sides = [top, ...sidesBelow(top)]
  const rungs = sides.map((side, index) => rungOf(source, side / short, index === sides.length - 1))
  return { frameRate: planFrameRate(source.frameRate), rungs, hasAudio: source.hasAudio }
}

function sidesBelow(top: number): number[] {
  const usual = shortSides.filter((side) => side <= top * step)
  if (usual.length > 0) return usual
  return 240 <= top * step ? [240] : []
}

function rungOf(source: SourceShape, scale: number, lowest: boolean): Rendition {
  const width = even(source.width * scale, source.width)
  const height = even(source.height * scale, source.height)
  if (lowest) {
    const rate = source.hasAudio ? lowestRate.withSound : lowestRate.silent
    // Half a second of buffer keeps every single segment below the limit, not just their mean.
    return { width, height, crf: 25, maxRate: rate, buffer: Math.round(rate / 2) }
  }
  const maxRate = Math.round(2400 * ((width * height) / (720 * 1280)) ** 0.75)
  return { width, height, crf: 23, maxRate, buffer: maxRate }
}

/** H.264 at 4:2:0 needs even sides. Rounded to the nearest, but never above the source. */
function even(side: number, most: number): number {
  const nearest = 2 * Math.round(side / 2)
  return Math.max(2, nearest > most ? nearest - 2 : nearest)
}

/**
 * The source's own rate up to 30; half of 50 and 60, a quarter of 120. Slow rates and those of half pictures (12.5) are multiplied, so that no
 * picture is shown at another time. Odd means of variable rates give the next whole one.
 */
export function planFrameRate(source: Fraction): Fraction {
  const usual = [24000 / 1001, 24, 25, 30000 / 1001, 30]
  const rate = source.num / source.den
  if (!Number.isFinite(rate) || rate <= 0) return { num: 30, den: 1 }
  if (rate > fastest) return planFrameRate({ num: source.num, den: source.den * Math.ceil(rate / fastest) })
  const near = usual.find(
    (one) =>
      Math.abs(one - rate) < 0.01 * one && Math.abs(one - rate) <= Math.abs(rate - Math.round(rate)) + 1e-9,
  )
  if (near !== undefined)
    return Number.isInteger(near) ? { num: near, den: 1 } : { num: Math.round(near * 1001), den: 1001 }
  return multiplied(reduced(source))
}

/** Rates with a larger divisor are means of variable ones; 1001 is NTSC's. */
const largestDivisor = 12

function multiplied({ num, den }: Fraction): Fraction {
  if (den > largestDivisor && den !== 1001)
    return { num: Math.max(slowest, Math.ceil(num / den - 1e-6)), den: 1 }
  const whole = num <= fastest ? { num, den: 1 } : { num, den }
  return { num: whole.num * Math.max(1, Math.ceil((slowest * whole.den) / whole.num)), den: whole.den }
}

function reduced({ num, den }: Fraction): Fraction {
  let [divisor, rest] = [num, den]
  while (rest > 0) [divisor, rest] = [rest, divisor % rest]
  return { num: num / divisor, den: den / divisor }
}

/** The size in which a picture is shown: pixels made square by shrinking, a quarter turn swaps the sides. */
export function shownSize(coded: { width: number; height: number; pixelShape: Fraction; rotation: number }): {
  width: number
  height: number
} {
  const shape = coded.pixelShape.num / coded.pixelShape.den
  const known = Number.isFinite(shape) && shape > 0
  const width = Math.max(1, Math.round(known && shape < 1 ? coded.width * shape : coded.width))
  const height = Math.max(1, Math.round(known && shape > 1 ? coded.height / shape : coded.height))
  return Math.abs(coded.rotation) % 180 === 90 ? { width: height, height: width } : { width, height }
}
