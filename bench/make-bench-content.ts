import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const yaml = `title: { en: The Bench }
synopsis: { en: Six episodes that nobody needs to watch. }
category: tests
tags: [bench]
free_episodes: 4
featured: true
price: { currency: USD, episode_cents: 99, video_cents: 999 }
`

export const episodeSeconds = 30

/** One drama of six upright episodes with moving picture and sound, the same clip each time. */
export async function makeBenchContent(folder: string, ffmpegPath: string): Promise<void> {
  const home = join(folder, 'the-bench')
  mkdirSync(home, { recursive: true })
  writeFileSync(join(home, 'video.yaml'), yaml)
  const picture = [
    '-f',
    'lavfi',
    '-i',
    'testsrc2=size=720x1280:rate=25',
    '-f',
    'lavfi',
    '-i',
    'anoisesrc=amplitude=0.1:color=pink',
  ]
  const coding = [
    '-t',
    String(episodeSeconds),
    '-c:v',
    'libx264',
    '-preset',
    'ultrafast',
    '-crf',
    '20',
    '-pix_fmt',
    'yuv420p',
    '-c:a',
    'aac',
    '-ac',
    '2',
  ]
  const first = join(home, '01.mp4')
  execFileSync(ffmpegPath, ['-nostdin', '-v', 'error', '-y', ...picture, ...coding, first], {
    timeout: 120_000,
  })
  for (const number of [2, 3, 4, 5, 6]) copyFileSync(first, join(home, `0${number}.mp4`))
}
