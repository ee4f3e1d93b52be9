import type { Fraction } from './plan-ladder.ts'

/** What the packets of a film say of its time, in seconds on the clock that ffmpeg gives its frames. */
export interface FilmTimes {
  /** When the last picture begins, and when it ends. */
  lastPicture: number
  pictureEnd: number
  /** Undefined if there is no audio packet. */
  soundEnd: number | undefined
  /** Pictures a second where most of them are. */
  busiest: number | undefined
}

/** One packet, from a line of ffmpeg's `framecrc`: the number of its output, and its times in the units of that output. */
const packetLine = /^(\d+),\s*(-?\d+),\s*(-?\d+|NOPTS),\s*(\d+),/
const timeBaseLine = /^#tb (\d+): (\d+)\/(\d+)/
/** How `framecrc` writes that there is no time. */
const noTime = -(2 ** 63)

/** Collects the times of packets, line by line: output 0 is the picture, output 1 the sound. */
export function collectTimes(): { take: (line: string) => void; times: () => FilmTimes | undefined } {
  const units = new Map<number, number>()
  const pictures: number[] = []
  const ends = [-Infinity, -Infinity]
  return {
    take(line) {
      const base = timeBaseLine.exec(line)
      if (base) units.set(Number(base[1]), Number(base[2]) / Number(base[3]))
      const packet = packetLine.exec(line)
      if (!packet) return
      const output = Number(packet[1])
      const unit = units.get(output) ?? 1
      const shown = Number(packet[3])
      const at = unit * (Number.isNaN(shown) || shown === noTime ? Number(packet[2]) : shown)
      if (output === 0) pictures.push(at)
      ends[output] = Math.max(ends[output] ?? -Infinity, at + unit * Number(packet[4]))
    },
    times() {
      const shown = pictures.toSorted((a, b) => a - b)
      const lastPicture = shown.at(-1)
      const [pictureEnd = 0, soundEnd = -Infinity] = ends
      if (lastPicture === undefined) return undefined
      return {
        lastPicture,
        pictureEnd,
        soundEnd: Number.isFinite(soundEnd) ? soundEnd : undefined,
        busiest: rateWhereItMoves(shown),
      }
    },
  }
}

/** A container's rate that is lower than the busiest second by this factor is a mean of movement and stills. */
const burst = 1.25

/** The rate to make a film in: a recording of a screen moves in bursts, and the mean that its container gives is the rate of none of them. */
export function rateOf({ busiest }: FilmTimes, declared: Fraction): Fraction {
  const isEven = busiest === undefined || busiest <= (burst * declared.num) / declared.den
  return isEven ? declared : { num: Math.round(1000 * busiest), den: 1000 }
}

/** Pictures a second where most of them are; undefined for less than three. */
function rateWhereItMoves(shown: readonly number[]): number | undefined {
  const span = (shown.at(-1) ?? 0) - (shown[0] ?? 0)
  if (shown.length < 3 || span <= 0) return undefined
  let busiest = 0
  for (let from = 0, to = 0; to < shown.length; to++) {
    while ((shown[to] ?? 0) - (shown[from] ?? 0) >= 1) from++
    const part = (shown[to] ?? 0) - (shown[from] ?? 0)
    // Two pictures side by side are no rate.
    if (part >= Math.min(0.5, span / 2)) busiest = Math.max(busiest, (to - from) / part)
  }
  return busiest > 0 ? busiest : undefined
}

/** Sound that outlasts the picture by less is what its encoder added. */
const addedByEncoder = 0.1

/** The length of a film: that of its pictures; the last one lasts while there is sound after it. */
export function lengthOf({ pictureEnd, soundEnd = 0 }: FilmTimes): number {
  return soundEnd > pictureEnd + addedByEncoder ? soundEnd : pictureEnd
}
