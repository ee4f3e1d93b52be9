import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const yaml = `title: { en: The Bench }
synopsis: { en: Episodes that nobody needs to watch. }
category: tests
tags: [bench]
free_episodes: 4
featured: true
price: { currency: USD, episode_cents: 99, video_cents: 999 }
`

export interface Content {
  episodes: number
  seconds: number
  /** Frame size in pixels; by default 720x1280. */
  size?: string
  /** How many times each episode plays the clip; by default once. */
  times?: number
}

/**
 * Creates a drama in `folder`/`slug`: portrait episodes with video and audio. All contain the same clip.
 * @returns the paths of its files
 */
export function makeBenchContent(
  folder: string,
  slug: string,
  ffmpegPath: string,
  { episodes, seconds, size = '720x1280', times = 1 }: Content,
): string[] {
  const home = join(folder, slug)
  mkdirSync(home, { recursive: true })
  writeFileSync(join(home, 'video.yaml'), yaml)
  const picture = ['-f', 'lavfi', '-i', `testsrc2=size=${size}:rate=25`]
  const sound = ['-f', 'lavfi', '-i', 'anoisesrc=amplitude=0.1:color=pink']
  const videoCodec = ['-c:v', 'libx264', '-preset', 'ultrafast', '-crf', '20', '-pix_fmt', 'yuv420p']
  const coding = ['-t', String(seconds), ...videoCodec, '-c:a', 'aac', '-ac', '2']
  const files = Array.from({ length: episodes }, (_, index) => join(home, `0${index + 1}.mp4`))
  const [first = '', ...others] = files
  const args = ['-nostdin', '-v', 'error', '-y', ...picture, ...sound, ...coding, first]
  execFileSync(ffmpegPath, args, { timeout: 120_000 })
  if (times > 1) repeat(ffmpegPath, first, times)
  for (const file of others) copyFileSync(first, file)
  return files
}

function repeat(ffmpegPath: string, file: string, times: number): void {
  const once = `${file}.once.mp4`
  renameSync(file, once)
  const args = ['-nostdin', '-v', 'error', '-stream_loop', String(times - 1), '-i', once, '-c', 'copy', file]
  execFileSync(ffmpegPath, args, { timeout: 120_000 })
  rmSync(once)
}
