/** The integrated loudness of audio (LUFS, EBU R128), and its highest peak (dBTP). */
export interface Loudness {
  integrated: number
  peak: number
}

/** An adjustment of audio to the target loudness: one constant gain (dB), and a limiter if its peaks would clip. */
export interface Gain {
  decibels: number
  limited: boolean
}

/** Target loudness in LUFS: suitable for phone speakers, and common among similar players. */
const target = -16
/** Maximum gain in dB. A higher gain would amplify the hiss of a nearly silent film. */
const maxGain = 24
/** Audio below this loudness (LUFS) is silence with noise and is not changed. */
const silenceThreshold = -60
/** Maximum peak in dB. It leaves headroom for the encoder, which adds up to 2 dB to a peak in a loud film. */
const maxPeak = -2
/** Maximum additional gain, in dB, that compensates for the limiter. A higher gain would be audible. */
const maxCompensation = 6

/**
 * The ffmpeg filter that converts audio to one format: 48 kHz, two channels (5.1 is downmixed, mono is copied to both).
 * It keeps no state between frames, so ffmpeg may restart it when the channels or the sample rate change.
 */
export const soundFormat = 'aformat=sample_rates=48000:channel_layouts=stereo:sample_fmts=flt'

/**
 * The ffmpeg filters that make audio begin at time 0, and fill gaps of at least 20 ms with silence. Short gaps are
 * filled too, because many of them add up.
 */
export const loudnessFilters = 'aresample=48000:async=1:min_hard_comp=0.02:first_pts=0'

/** Plans the gain for audio of this loudness; undefined for silence. */
export function planGain({ integrated, peak }: Loudness): Gain | undefined {
  if (integrated < silenceThreshold) return undefined
  const decibels = Math.min(maxGain, target - integrated)
  return { decibels, limited: peak + decibels > maxPeak }
}

/** Raises the gain by the loudness that the limiter removed. `measuredLoudness` is the limiter's output in LUFS. */
export function compensateLimiter(gain: Gain, measuredLoudness: number): Gain {
  const missing = Math.min(maxCompensation, Math.max(0, target - measuredLoudness))
  return { ...gain, decibels: Math.min(maxGain, gain.decibels + missing) }
}

/** Returns the ffmpeg filters that apply a gain; empty without a gain. */
export function gainFilters(gain: Gain | undefined): string[] {
  if (!gain) return []
  const ceiling = (10 ** (maxPeak / 20)).toFixed(4)
  const limiter = gain.limited ? [`alimiter=level=0:limit=${ceiling}:attack=5:release=50`] : []
  return [`volume=${gain.decibels.toFixed(2)}dB:precision=float`, ...limiter]
}
