import { ffmpeg } from './test-media.ts'

/** Returns the ffmpeg arguments for a graph as the next input. */
export const lavfi = (graph: string) => ['-f', 'lavfi', '-i', graph]

/** An input that flashes white on each whole second from 1 on, for `lit` seconds. */
export const flashingVideoInput = (seconds: number, size = '96x64', lit = 0.06) =>
  lavfi(
    `color=black:size=${size}:rate=25:duration=${seconds},drawbox=color=white:t=fill:enable='gte(t,0.9)*lt(mod(t,1),${lit})'`,
  )

/** An input that beeps on each whole second from 1 on. */
export const beepingAudioInput = (seconds: number, channels = 1) => {
  const beep = '0.5*sin(2*PI*1000*t)*gte(t,0.9)*lt(mod(t,1),0.1)'
  return lavfi(`aevalsrc='${Array.from({ length: channels }, () => beep).join('|')}':s=48000:d=${seconds}`)
}

/** Encodes frames quickly, with a key frame each second. */
export const encodeOptions = ['-pix_fmt', 'yuv420p', '-c:v', 'libx264', '-preset', 'ultrafast', '-g', '25']

/** The threshold between black and white. */
export const brightnessThreshold = 140

/** Returns the brightness of the centre of each frame of a video, 0 to 255. */
export const frameBrightness = (path: string): number[] => [
  ...ffmpeg('-i', path, '-vf', 'crop=16:16,scale=1:1:flags=area,format=gray', '-f', 'rawvideo', 'pipe:1'),
]

/** Returns the positions where values rise above the threshold. */
export const flashFramesOf = (values: readonly number[]): number[] =>
  values.flatMap((value, at) =>
    value > brightnessThreshold && (values[at - 1] ?? 0) <= brightnessThreshold ? [at] : [],
  )

/** Returns when a sound becomes loud after a fifth of a second of silence, in seconds. */
export function beepTimesOf(path: string): number[] {
  const sound = ffmpeg('-i', path, '-ac', '1', '-ar', '8000', '-f', 's16le', 'pipe:1')
  const found: number[] = []
  let silent = 8000
  for (let at = 0; 2 * at < sound.length; at++) {
    const isLoud = Math.abs(sound.readInt16LE(2 * at)) > 2500
    if (isLoud && silent > 1600) found.push(at / 8000)
    silent = isLoud ? 0 : silent + 1
  }
  return found
}
