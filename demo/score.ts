import { seeded, type Random } from '#demo/draw/svg.ts'
import type { Score } from '#demo/story.ts'

const rate = 44_100

type Mode = {
  chords: readonly (readonly number[])[]
  arpeggio: readonly number[]
  pluck: number
  pulse: number
  bright: number
}

/**
 * For each mood: chords in semitones above the root, the order of their tones in the arpeggio, plucks and pulses per
 * beat, and brightness of the pad.
 */
const modes: Record<Score['mood'], Mode> = {
  tender: {
    chords: [
      [0, 4, 7, 14],
      [9, 12, 16, 19],
      [5, 9, 12, 16],
      [7, 11, 14, 17],
    ],
    arpeggio: [0, 2, 1, 3, 2, 1],
    pluck: 2,
    pulse: 0,
    bright: 0.25,
  },
  tense: {
    chords: [
      [0, 3, 7, 10],
      [0, 3, 8, 12],
      [1, 5, 8, 13],
      [-2, 2, 5, 11],
    ],
    arpeggio: [0, 1, 0, 2, 0, 3],
    pluck: 4,
    pulse: 2,
    bright: 0.45,
  },
  wonder: {
    chords: [
      [0, 4, 7, 11],
      [2, 6, 9, 14],
      [-3, 4, 9, 12],
      [5, 9, 12, 16],
    ],
    arpeggio: [3, 2, 1, 2, 0, 2],
    pluck: 3,
    pulse: 0,
    bright: 0.35,
  },
  playful: {
    chords: [
      [0, 4, 7, 12],
      [9, 12, 16, 19],
      [2, 5, 9, 14],
      [7, 11, 14, 17],
    ],
    arpeggio: [0, 3, 1, 3, 2, 3],
    pluck: 4,
    pulse: 1,
    bright: 0.3,
  },
  grand: {
    chords: [
      [0, 3, 7, 12],
      [-4, 3, 8, 12],
      [3, 7, 10, 15],
      [-2, 5, 10, 14],
    ],
    arpeggio: [0, 1, 2, 3, 2, 1],
    pluck: 3,
    pulse: 1,
    bright: 0.5,
  },
  dark: {
    chords: [
      [0, 3, 7, 15],
      [-1, 3, 8, 14],
      [-4, 0, 3, 8],
      [-5, 2, 7, 11],
    ],
    arpeggio: [3, 0, 2, 0, 1, 0],
    pluck: 1,
    pulse: 1,
    bright: 0.4,
  },
}

type Track = { left: Float32Array; right: Float32Array }
type Note = { at: number; seconds: number; pitch: number; level: number; pan: number }

const hertz = (pitch: number): number => 440 * 2 ** ((pitch - 69) / 12)

function add(channel: Float32Array, index: number, sample: number): void {
  channel[index] = (channel[index] ?? 0) + sample
}

/** Adds a slowly swelling sound of three partials. One is slightly detuned: up on the left, down on the right. */
function pad(track: Track, note: Note, bright: number): void {
  const first = Math.floor(note.at * rate)
  const count = Math.min(Math.floor(note.seconds * rate), track.left.length - first)
  const step = (hertz(note.pitch) * 2 * Math.PI) / rate
  for (let index = 0; index < count; index++) {
    const swell = Math.min(1, index / (0.5 * rate), (count - index) / (0.5 * rate))
    const low = Math.sin(step * index) + bright * Math.sin(step * 2 * index)
    add(track.left, first + index, note.level * swell * (low + 0.7 * Math.sin(step * 1.004 * index)))
    add(track.right, first + index, note.level * swell * (low + 0.7 * Math.sin(step * 0.996 * index)))
  }
}

/** Adds a plucked string or bell that decays. */
function pluck(track: Track, note: Note, overtone: number): void {
  const first = Math.floor(note.at * rate)
  const count = Math.min(Math.floor(note.seconds * rate), track.left.length - first)
  const step = (hertz(note.pitch) * 2 * Math.PI) / rate
  for (let index = 0; index < count; index++) {
    const decay = Math.exp((-5 * index) / (note.seconds * rate)) * Math.min(1, index / 90)
    const tone =
      note.level * decay * (Math.sin(step * index) + 0.4 * decay * Math.sin(step * overtone * index))
    add(track.left, first + index, tone * (1 - note.pan))
    add(track.right, first + index, tone * (1 + note.pan))
  }
}

/** Adds a soft drum: a tone with a falling pitch. */
function thump(track: Track, at: number, level: number): void {
  const first = Math.floor(at * rate)
  const count = Math.min(Math.floor(0.4 * rate), track.left.length - first)
  for (let index = 0; index < count; index++) {
    const time = index / rate
    const tone =
      level * Math.exp(-9 * time) * Math.sin(2 * Math.PI * (46 * time + 3 * (1 - Math.exp(-30 * time))))
    add(track.left, first + index, tone)
    add(track.right, first + index, tone)
  }
}

/** Adds the sound of the cliffhanger: three seconds of rising tremolo strings, and a final hit. */
function cliffhanger(track: Track, root: number, seconds: number): void {
  const from = Math.max(0, seconds - 4.4)
  const first = Math.floor(from * rate)
  const count = Math.min(Math.floor(3.2 * rate), track.left.length - first)
  let phase = 0
  for (let index = 0; index < count; index++) {
    const share = index / count
    phase += (hertz(root + 12 + share * 7) * 2 * Math.PI) / rate
    const tone =
      0.16 *
      share *
      (0.6 + 0.4 * Math.sin((2 * Math.PI * 11 * index) / rate)) *
      (Math.sin(phase) + 0.6 * Math.sin(phase * 1.0595))
    add(track.left, first + index, tone)
    add(track.right, first + index, tone)
  }
  thump(track, from + 3.2, 0.5)
  pluck(track, { at: from + 3.2, seconds: 1.2, pitch: root - 12, level: 0.2, pan: 0 }, 2.76)
}

/** Adds two echoes that cross between left and right, as reverb. */
function echo({ left, right }: Track): void {
  const near = Math.floor(0.27 * rate)
  const far = Math.floor(0.39 * rate)
  for (let index = far; index < left.length; index++) {
    add(left, index, 0.26 * (right[index - near] ?? 0))
    add(right, index, 0.26 * (left[index - far] ?? 0))
  }
}

function compose(track: Track, score: Score, random: Random, seconds: number): void {
  const { chords, arpeggio, pluck: plucks, pulse, bright } = modes[score.mood]
  const beat = 60 / score.tempo
  const bar = seconds / 4
  chords.forEach((chord, at) => {
    for (const tone of chord)
      pad(track, { at: at * bar, seconds: bar + 0.4, pitch: score.root + tone, level: 0.05, pan: 0 }, bright)
    pluck(
      track,
      { at: at * bar, seconds: bar, pitch: score.root - 12 + (chord[0] ?? 0), level: 0.2, pan: 0 },
      2,
    )
  })
  const count = Math.floor((seconds - 0.8) / (beat / plucks))
  for (let index = 0; index < count; index++) {
    if (random() < 0.22) continue
    const at = (index * beat) / plucks
    const chord = chords[Math.min(3, Math.floor(at / bar))] ?? [0]
    const tone = chord[(arpeggio[index % arpeggio.length] ?? 0) % chord.length] ?? 0
    pluck(
      track,
      {
        at,
        seconds: 0.9,
        pitch: score.root + 12 + tone + (random() < 0.15 ? 12 : 0),
        level: 0.07 + random() * 0.05,
        pan: random() - 0.5,
      },
      score.mood === 'wonder' ? 3.01 : 2,
    )
  }
  if (pulse)
    for (let at = 0; at < seconds - 1; at += beat / pulse)
      thump(track, at, at % (beat * 4) < 0.01 ? 0.34 : 0.22)
}

/**
 * Returns the music of an episode as a 16-bit stereo WAV with a peak of −3 dB. The same arguments give the same bytes.
 */
export function scoreWav(score: Score, seed: string, seconds: number, cliff: boolean): Buffer {
  const length = Math.ceil(seconds * rate)
  const track: Track = { left: new Float32Array(length), right: new Float32Array(length) }
  compose(track, score, seeded(seed), seconds)
  if (cliff) cliffhanger(track, score.root, seconds)
  echo(track)
  return wav(track, length)
}

function wav({ left, right }: Track, length: number): Buffer {
  let peak = 0.001
  for (let index = 0; index < length; index++)
    peak = Math.max(peak, Math.abs(left[index] ?? 0), Math.abs(right[index] ?? 0))
  const gain = 0.7 / peak
  const samples = new Int16Array(length * 2)
  for (let index = 0; index < length; index++) {
    const fade = Math.min(1, index / 800, (length - index) / (0.7 * rate)) * gain * 32767
    samples[index * 2] = (left[index] ?? 0) * fade
    samples[index * 2 + 1] = (right[index] ?? 0) * fade
  }
  const header = Buffer.alloc(44)
  const bytes = samples.byteLength
  header.write('RIFF', 0)
  header.writeUInt32LE(36 + bytes, 4)
  header.write('WAVEfmt ', 8)
  header.writeUInt32LE(16, 16)
  header.writeUInt16LE(1, 20)
  header.writeUInt16LE(2, 22)
  header.writeUInt32LE(rate, 24)
  header.writeUInt32LE(rate * 4, 28)
  header.writeUInt16LE(4, 32)
  header.writeUInt16LE(16, 34)
  header.write('data', 36)
  header.writeUInt32LE(bytes, 40)
  return Buffer.concat([header, Buffer.from(samples.buffer)])
}
