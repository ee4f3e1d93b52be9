import type { Head } from './build-head.ts'
import type { FirstScreen } from '#server/features/pages/first-screen/load-first-screen.ts'

/**
 * Builds the head of a video's page, with a `VideoObject` for search engines. It contains no address of a media file,
 * because search engines must not link to one.
 */
export function buildVideoHead(
  { video, episodes, playable }: FirstScreen,
  path: string,
  publicUrl: string,
): Head {
  const image = video.cover_url ?? undefined
  const episode = playable?.episode ?? episodes.list.find(({ ready }) => ready)
  const data = {
    '@context': 'https://schema.org',
    '@type': 'VideoObject',
    name: video.title,
    description: video.synopsis,
    url: publicUrl + path,
    ...(image === undefined ? {} : { thumbnailUrl: [publicUrl + image] }),
    ...(video.released_at === null ? {} : { uploadDate: video.released_at }),
    ...(episode?.duration_ms ? { duration: durationOf(episode.duration_ms) } : {}),
  }
  return {
    title: video.title,
    description: video.synopsis,
    path,
    indexed: true,
    kind: 'video.other',
    image,
    data,
  }
}

/** Formats a duration as ISO 8601: 83000 becomes "PT1M23S". */
function durationOf(ms: number): string {
  const seconds = Math.max(1, Math.round(ms / 1000))
  return `PT${Math.floor(seconds / 60)}M${seconds % 60}S`
}
