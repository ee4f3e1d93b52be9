import { execFile } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { stringify } from 'yaml'

const run = promisify(execFile)

export interface Drama {
  slug: string
  title: string
  episodes: number
  /** Number of free episodes. */
  free: number
  size: string
  sound: boolean
}

/**
 * Dramas of the browser tests: six short portrait episodes, the first three free, and a landscape episode without
 * audio.
 */
export const dramas: readonly Drama[] = [
  { slug: 'the-test-tower', title: 'The Test Tower', episodes: 6, free: 3, size: '360x640', sound: true },
  { slug: 'wide-and-silent', title: 'Wide and Silent', episodes: 1, free: 3, size: '480x204', sound: false },
]

const seconds = 6
/** Low, because converting and playing more frames takes time, and no test looks at the motion. */
const framesPerSecond = 10

/** Writes dramas as folders for the ordinary import. Each episode has its own colour and tone. */
export async function makeContent(folder: string, ffmpegPath: string, wanted = dramas): Promise<void> {
  for (const { slug, title, episodes, free, size, sound } of wanted) {
    const home = join(folder, slug)
    mkdirSync(home, { recursive: true })
    writeFileSync(join(home, 'video.yaml'), describe(title, episodes, free))
    for (let number = 1; number <= episodes; number++) {
      const name = String(number).padStart(2, '0')
      writeFileSync(
        join(home, `${name}.en.vtt`),
        `WEBVTT\n\n00:00:00.500 --> 00:00:05.500\n${title}, episode ${number}\n`,
      )
      await makeClip(ffmpegPath, { file: join(home, `${name}.mp4`), number, size, sound, seconds })
    }
  }
}

function describe(title: string, episodes: number, free: number): string {
  return stringify({
    title: { en: title, es: title, fy: title, dy: title, pt: title },
    synopsis: { en: `A test in ${episodes} parts.` },
    category: 'tests',
    tags: ['signal', 'tone'],
    free_episodes: free,
    featured: true,
    price: { currency: 'USD', episode_cents: 99, video_cents: 999 },
  })
}

interface Clip {
  file: string
  /** Determines the colour and the tone. */
  number: number
  size: string
  sound: boolean
  seconds: number
}

/** Writes a short video. */
export async function makeClip(
  ffmpegPath: string,
  { file, number, size, sound, seconds }: Clip,
): Promise<void> {
  const picture = ['-f', 'lavfi', '-i', `testsrc2=size=${size}:rate=${framesPerSecond}:duration=${seconds}`]
  const tone = sound
    ? ['-f', 'lavfi', '-i', `sine=frequency=${220 + 110 * number}:duration=${seconds}`, '-c:a', 'aac']
    : []
  const hue = [
    '-vf',
    `hue=h=${number * 50}`,
    '-c:v',
    'libx264',
    '-preset',
    'ultrafast',
    '-pix_fmt',
    'yuv420p',
    '-movflags',
    '+faststart',
  ]
  const inputs = sound ? [...picture, ...tone.slice(0, 4), ...hue, ...tone.slice(4)] : [...picture, ...hue]
  await run(ffmpegPath, ['-nostdin', '-v', 'error', '-y', ...inputs, file], { timeout: 60_000 })
}
