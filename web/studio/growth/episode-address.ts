/** Which episode an address of this site leads to, as people copy it: with or without the host; undefined where it is none. */
export function episodeOfAddress(address: string): { video_id: string; episode: number } | undefined {
  const url = URL.parse(address.trim(), 'http://site')
  const video = url && /^\/videos\/([^/]+)\/?$/.exec(url.pathname)?.[1]
  if (!url || !video) return undefined
  const episode = Number(url.searchParams.get('episode') ?? 1)
  return Number.isInteger(episode) && episode > 0
    ? { video_id: decodeURIComponent(video), episode }
    : undefined
}
