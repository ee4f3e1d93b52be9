/**
 * Parses the URL of a video page, or a video's id, into a video and an episode number. Returns undefined for any other
 * text. The host may be omitted and is not checked.
 */
export function parseEpisodeAddress(address: string): { video_id: string; episode: number } | undefined {
  const typed = address.trim()
  if (/^vid_\w+$/.test(typed)) return { video_id: typed, episode: 1 }
  const url = URL.parse(typed, 'http://site')
  const video = url && /^\/videos\/(\w+)\/?$/.exec(url.pathname)?.[1]
  if (!url || !video) return undefined
  const episode = Number(url.searchParams.get('episode') ?? 1)
  return Number.isInteger(episode) && episode > 0 ? { video_id: video, episode } : undefined
}
