import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { stringify } from 'yaml'
import { captions } from '#demo/captions.ts'
import { poster } from '#demo/poster.ts'
import type { Drama } from '#demo/story.ts'
import { languages } from '#demo/texts.ts'

/** Number of free episodes of each drama. */
export const freeEpisodes = 3

export function episodeName(number: number): string {
  return String(number).padStart(2, '0')
}

function description(drama: Drama): string {
  return stringify({
    title: drama.title,
    synopsis: drama.synopsis,
    category: drama.category,
    tags: drama.tags,
    free_episodes: freeEpisodes,
    price: { currency: 'USD', episode_cents: 99, video_cents: 249 },
    ...(drama.badge ? { badge: drama.badge } : {}),
    ...(drama.featured ? { featured: true } : {}),
    episodes: drama.episodes.map(({ title }) => ({ title })),
  })
}

/** Writes a drama's import folder except for the videos: `video.yaml`, `cover.jpg` and the captions. */
export async function writeDramaFolder(drama: Drama, outDir: string): Promise<void> {
  const folder = join(outDir, drama.slug)
  await mkdir(folder, { recursive: true })
  const subtitles = drama.episodes.flatMap((episode, index) =>
    languages.map((language) =>
      writeFile(join(folder, `${episodeName(index + 1)}.${language}.vtt`), captions(episode, language)),
    ),
  )
  await Promise.all([
    writeFile(join(folder, 'video.yaml'), description(drama)),
    writeFile(join(folder, 'cover.jpg'), await poster(drama)),
    ...subtitles,
  ])
}
