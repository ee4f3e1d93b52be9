import type { Fraction } from './plan-ladder.ts'

/** Times of a film's packets, in seconds on the clock of ffmpeg's frames. */
export interface PacketTimes {
  /** Start (`lastPicture`) and end of the last frame. */
  lastPicture: number
  pictureEnd: number
  /** Undefined if there is no audio packet. */
  soundEnd: number | undefined
  /** Highest frame rate in any stretch of about a second. Undefined if there are fewer than three frames. */
  peakFrameRate: number | undefined
}

/**
 * Matches a packet in a line of ffmpeg's `framecrc`: the number of its output, and its times in the time base of that
 * output.
 */
const packetLine = /^(\d+),\s*(-?\d+),\s*(-?\d+|NOPTS),\s*(\d+),/
const timeBaseLine = /^#tb (\d+): (\d+)\/(\d+)/
/** The value with which `framecrc` marks a missing time. */
const noTime = -(2 ** 63)

/** Collects packet times line by line: output 0 is the video, output 1 the audio. */
export function collectTimes(): { addLine: (line: string) => void; times: () => PacketTimes | undefined } {
  const units = new Map<number, number>()
  const pictures: number[] = []
  const ends = [-Infinity, -Infinity]
  return {
    addLine(line) {
      const base = timeBaseLine.exec(line)
      if (base) units.set(Number(base[1]), Number(base[2]) / Number(base[3]))
      const packet = packetLine.exec(line)
      if (!packet) return
      const output = Number(packet[1])
      const unit = units.get(output) ?? 1
      const presentationTime = Number(packet[3])
      const at =
        unit *
        (Number.isNaN(presentationTime) || presentationTime === noTime ? Number(packet[2]) : presentationTime)
      if (output === 0) pictures.push(at)
      ends[output] = Math.max(ends[output] ?? -Infinity, at + unit * Number(packet[4]))
    },
    times() {
      const sortedTimes = pictures.toSorted((a, b) => a - b)
      const lastPicture = sortedTimes.at(-1)
      const [pictureEnd = 0, soundEnd = -Infinity] = ends
      if (lastPicture === undefined) return undefined
      return {
        lastPicture,
        pictureEnd: pictureEnd > lastPicture ? pictureEnd : lastPicture + lastStepOf(sortedTimes),
        soundEnd: Number.isFinite(soundEnd) ? soundEnd : undefined,
        peakFrameRate: peakFrameRateOf(sortedTimes),
      }
    },
  }
}

/**
 * Returns the duration of the last frame if the file states none: the duration of the frame before it, but at most the
 * median. So a long still before the last frame does not lengthen the last frame.
 */
function lastStepOf(sortedTimes: readonly number[]): number {
  const steps = sortedTimes.slice(1).map((time, at) => time - (sortedTimes[at] ?? time))
  const medianStep = steps.toSorted((a, b) => a - b)[Math.floor(steps.length / 2)] ?? 0
  return Math.min(steps.at(-1) ?? 0, medianStep)
}

/**
 * If the peak frame rate exceeds the declared rate by this factor, the declared rate is an average of moving and still
 * parts.
 */
const burstFactor = 1.25

/**
 * Returns the frame rate for the conversion: the declared rate, or the peak rate if frames arrive in bursts. The
 * declared rate of a screen recording is an average, which is too low for the moving parts.
 */
export function chooseFrameRate({ peakFrameRate }: PacketTimes, declared: Fraction): Fraction {
  const isEven = peakFrameRate === undefined || peakFrameRate <= (burstFactor * declared.num) / declared.den
  return isEven ? declared : { num: Math.round(1000 * peakFrameRate), den: 1000 }
}

/**
 * Returns the highest frame rate in any stretch of about a second. Returns undefined if there are fewer than three
 * frames.
 */
function peakFrameRateOf(sortedTimes: readonly number[]): number | undefined {
  const span = (sortedTimes.at(-1) ?? 0) - (sortedTimes[0] ?? 0)
  if (sortedTimes.length < 3 || span <= 0) return undefined
  let peakRate = 0
  for (let from = 0, to = 0; to < sortedTimes.length; to++) {
    while ((sortedTimes[to] ?? 0) - (sortedTimes[from] ?? 0) >= 1) from++
    const part = (sortedTimes[to] ?? 0) - (sortedTimes[from] ?? 0)
    // A very short part, such as two adjacent frames, gives no reliable rate.
    if (part >= Math.min(0.5, span / 2)) peakRate = Math.max(peakRate, (to - from) / part)
  }
  return peakRate > 0 ? peakRate : undefined
}

/** Seconds by which audio may outlast the video because its encoder padded it. */
const encoderPadding = 0.1

/**
 * Returns a film's duration in seconds: the end of its video or, if the audio is longer, the end of the audio. The last
 * frame is held until then.
 */
export function filmDuration({ pictureEnd, soundEnd = 0 }: PacketTimes): number {
  return soundEnd > pictureEnd + encoderPadding ? soundEnd : pictureEnd
}
