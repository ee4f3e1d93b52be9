import type { Pose } from '#demo/draw/figure.ts'
import type { Look } from '#demo/draw/look.ts'
import type { Mood } from '#demo/draw/portrait.ts'
import type { PropName } from '#demo/draw/props.ts'
import type { PlaceName } from '#demo/draw/sets.ts'
import type { Palette } from '#demo/draw/svg.ts'
import type { Weather } from '#demo/draw/weather.ts'
import type { Face } from '#demo/draw/lettering.ts'
import { languages, type Texts } from '#demo/texts.ts'

/** A character in a wide shot. `x` is the position as a share of the frame's width. */
type Standing = { who: string; pose: Pose; x: number }
type Facing = { who: string; mood: Mood }

type Common = {
  place: PlaceName
  weather?: Weather
  /** `flicker` darkens the room repeatedly; `flash` adds flashes of lightning. */
  light?: 'flicker' | 'flash'
  /** Dialogue or narration of the shot, from which its duration is calculated. */
  lines: readonly Texts[]
}

export type Shot = Common &
  (
    | { kind: 'wide'; people: readonly Standing[] }
    | { kind: 'close'; person: Facing }
    | { kind: 'pair'; people: readonly [Facing, Facing] }
    | { kind: 'insert'; prop: PropName }
  )

export type Episode = { title: Texts; shots: readonly Shot[] }

export type Score = {
  mood: 'tender' | 'tense' | 'wonder' | 'playful' | 'grand' | 'dark'
  /** The key's root as a MIDI number, about 45 to 57. */
  root: number
  tempo: number
}

export type Drama = {
  slug: string
  title: Texts
  synopsis: Texts
  category: string
  tags: readonly string[]
  badge?: 'new' | 'hot'
  featured?: boolean
  palette: Palette
  cast: Readonly<Record<string, Look>>
  poster: {
    place: PlaceName
    layout: 'duo' | 'hero' | 'figures' | 'emblem'
    people: readonly Facing[]
    prop?: PropName
    weather?: Weather
    words: readonly string[]
    face: Face
  }
  score: Score
  episodes: readonly Episode[]
}

type Effects = Pick<Common, 'weather' | 'light'>

/** Creates a wide shot. `people` lists characters with pose and position: `"ada walk .3, leo back .7"`. */
export function wide(place: PlaceName, people: string, effects: Effects, ...lines: Texts[]): Shot {
  const standing =
    people === ''
      ? []
      : people.split(', ').map((one) => {
          const [who = '', pose = 'stand', x = '.5'] = one.split(' ')
          return { who, pose: pose as Pose, x: Number(x) } // catalogue.test.ts checks the poses of every drama.
        })
  return { kind: 'wide', place, people: standing, ...effects, lines }
}

export function close(place: PlaceName, who: string, mood: Mood, effects: Effects, ...lines: Texts[]): Shot {
  return { kind: 'close', place, person: { who, mood }, ...effects, lines }
}

export function pair(
  place: PlaceName,
  left: readonly [who: string, mood: Mood],
  right: readonly [who: string, mood: Mood],
  effects: Effects,
  ...lines: Texts[]
): Shot {
  return {
    kind: 'pair',
    place,
    people: [
      { who: left[0], mood: left[1] },
      { who: right[0], mood: right[1] },
    ],
    ...effects,
    lines,
  }
}

export function insert(place: PlaceName, prop: PropName, effects: Effects, ...lines: Texts[]): Shot {
  return { kind: 'insert', place, prop, ...effects, lines }
}

export function episode(title: Texts, ...shots: Shot[]): Episode {
  return { title, shots }
}

type Timed<T> = T & { start: number; end: number }

/** Seconds before the first caption (`lead`) and after the last caption (`tail`) of an episode. */
const lead = 0.6
const tail = 1.2

/**
 * Returns the reading time of a caption in seconds, from 2.2 to 4.2. The longest text of all languages is read at 17
 * characters per second.
 */
function reading(line: Texts): number {
  const longest = Math.max(...languages.map((language) => line[language].length))
  return Math.min(4.2, Math.max(2.2, longest / 17))
}

/**
 * Returns the start and end of each shot and caption in seconds. The times of the shots are rounded to whole frames, at
 * 24 frames per second.
 */
export function timeline(episode: Episode): {
  seconds: number
  shots: Timed<Shot>[]
  captions: Timed<{ text: Texts }>[]
} {
  const captions: Timed<{ text: Texts }>[] = []
  const shots: Timed<Shot>[] = []
  const spoken = episode.shots.flatMap((shot) => shot.lines).reduce((sum, line) => sum + reading(line), 0)
  const stretch = Math.min(1, (25 - lead - tail) / spoken) * Math.max(1, (12 - lead - tail) / spoken)
  let clock = lead
  for (const shot of episode.shots) {
    const start = shots.length === 0 ? 0 : frames(clock)
    for (const text of shot.lines) {
      const end = clock + reading(text) * stretch
      captions.push({ text, start: clock + 0.05, end: end - 0.1 })
      clock = end
    }
    shots.push({ ...shot, start, end: frames(clock) })
  }
  const seconds = frames(Math.min(25, clock + tail))
  const last = shots.at(-1)
  if (last) last.end = seconds
  return { seconds, shots, captions }
}

function frames(seconds: number): number {
  return Math.round(seconds * 24) / 24
}
