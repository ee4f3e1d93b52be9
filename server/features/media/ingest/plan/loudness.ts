/** How loud a sound is: over its whole length (LUFS, EBU R128), and its highest peak (dBTP). */
export interface Loudness {
  integrated: number
  peak: number
}

/** What brings a sound to its loudness: one gain throughout (dB), and a limiter where its peaks would not fit. */
export interface Gain {
  decibels: number
  limited: boolean
}

/** LUFS; what phones and their speakers are made for, and what other players of this kind have. */
const target = -16
/** dB. More would turn the hiss of a nearly silent film into its sound. */
const mostGain = 24
/** Quieter than this (LUFS) is silence with noise: it stays as it is. */
const silence = -60
/** dB. What the encoder adds to a peak, up to 2 dB in a loud film, stays within full scale. */
const highestPeak = -2
/** dB. How much of what the limiter takes away is given back; beyond that it would be heard at work. */
const mostGivenBack = 6

/** Sound in one format: 48 kHz, two channels (5.1 is mixed down, mono goes to both). It keeps nothing from one frame to the next. */
export const soundFormat = 'aformat=sample_rates=48000:channel_layouts=stereo:sample_fmts=flt'

/** From the very start, and with silence where packets are missing: from 20 ms on, since many short gaps come to a long one. */
export const loudnessFilters = 'aresample=48000:async=1:min_hard_comp=0.02:first_pts=0'

/** The gain for a sound of this loudness; undefined if it needs none. */
export function planGain({ integrated, peak }: Loudness): Gain | undefined {
  if (integrated < silence) return undefined
  const decibels = Math.min(mostGain, target - integrated)
  return { decibels, limited: peak + decibels > highestPeak }
}

/** The same gain once it is known how loud the sound is behind its limiter. */
export function giveBack(gain: Gain, behindLimiter: number): Gain {
  const missing = Math.min(mostGivenBack, Math.max(0, target - behindLimiter))
  return { ...gain, decibels: Math.min(mostGain, gain.decibels + missing) }
}

/** The filters that apply a gain, behind the chain. */
export function gainFilters(gain: Gain | undefined): string[] {
  if (!gain) return []
  const ceiling = (10 ** (highestPeak / 20)).toFixed(4)
  const limiter = gain.limited ? [`alimiter=level=0:limit=${ceiling}:attack=5:release=50`] : []
  return [`volume=${gain.decibels.toFixed(2)}dB:precision=float`, ...limiter]
}
