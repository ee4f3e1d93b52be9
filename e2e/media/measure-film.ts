import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  beepTimesOf,
  frameBrightness,
  brightnessThreshold,
  flashFramesOf,
} from '#server/testing/media/flash-and-beep.ts'
import { ffmpeg } from '#server/testing/media/test-media.ts'

/** Returns, for each rendition, the times in seconds at which it is bright, and at which it becomes bright. */
export function lightsOf(folder: string): { bright: number[]; flashes: number[] }[] {
  const master = readFileSync(join(folder, 'master.m3u8'), 'utf8')
  const rate = Number(/FRAME-RATE=([\d.]+)/.exec(master)?.[1])
  return renditionsOf(folder).map((playlist) => {
    const values = frameBrightness(playlist)
    return {
      bright: values.flatMap((value, at) => (value > brightnessThreshold ? [at / rate] : [])),
      flashes: flashFramesOf(values).map((at) => at / rate),
    }
  })
}

/** Returns the times in seconds at which the audio becomes loud after silence. There is only one audio rendition. */
export function filmBeepsOf(folder: string): number[] {
  const playlist = join(folder, 'a/index.m3u8')
  if (!existsSync(playlist)) return []
  return beepTimesOf(playlist)
}

/** Returns the colour in the middle of each rendition, as a browser should show it. */
export function coloursOf(folder: string): number[][] {
  const read = 'crop=16:16,scale=1:1:flags=area:in_color_matrix=bt709:in_range=tv,format=rgb24'
  return renditionsOf(folder).map((playlist) => [
    ...ffmpeg('-i', playlist, '-frames:v', '1', '-vf', read, '-f', 'rawvideo', 'pipe:1'),
  ])
}

function renditionsOf(folder: string): string[] {
  const names = readdirSync(folder).filter((name) => /^v\d+$/.test(name))
  return names.map((name) => join(folder, name, 'index.m3u8'))
}
