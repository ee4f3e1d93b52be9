import type { BenchSite } from './start-bench-site.ts'

interface Homepage {
  info: { homepage: { items: { id: string }[] }[] }
}
interface Episodes {
  data: { list: { id: string; number: number }[] }
}
interface Playable {
  info: { playback: { hls_url: string } }
}

/** A drama to measure: its first episode, and the URL of that episode's stream. */
export interface BenchEpisode {
  videoId: string
  episodeId: string
  /** Id of the last episode, which is locked. */
  lockedEpisodeId: string
  /** Signed URL of the playlist, such as /media/…/…/master.m3u8. */
  hlsUrl: string
  asset: string
}

export async function findBenchEpisode({ url }: Pick<BenchSite, 'url'>): Promise<BenchEpisode> {
  const { info } = await read<Homepage>(`${url}/api/homepage`)
  const videoId = requireValue(info.homepage[0]?.items[0]).id
  const { data } = await read<Episodes>(`${url}/api/video/episode?video_id=${videoId}`)
  const episodeId = requireValue(data.list[0]).id
  const lockedEpisodeId = requireValue(data.list.at(-1)).id
  const playable = await read<Playable>(`${url}/api/video/episode?episode_id=${episodeId}`)
  const hlsUrl = playable.info.playback.hls_url
  return { videoId, episodeId, lockedEpisodeId, hlsUrl, asset: requireValue(hlsUrl.split('/').at(-2)) }
}

/** Returns the cookie of a new visitor. The site stores nothing about this visitor. */
export async function createGuest({ url }: Pick<BenchSite, 'url'>): Promise<string> {
  return cookieOf(await fetch(`${url}/api/user`))
}

/** Returns the cookie of a guest with a short history, whose responses are personalized. */
export async function newGuest(
  site: Pick<BenchSite, 'url'>,
  { videoId, episodeId }: Pick<BenchEpisode, 'videoId' | 'episodeId'>,
): Promise<string> {
  const response = await fetch(`${site.url}/api/user/history`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'sec-fetch-site': 'same-origin',
      cookie: await createGuest(site),
    },
    body: JSON.stringify({
      video_id: videoId,
      episode_id: episodeId,
      position_ms: 4000,
      at: new Date().toISOString(),
    }),
  })
  return cookieOf(response)
}

function cookieOf(response: Response): string {
  return requireValue(response.headers.getSetCookie()[0]?.split(';')[0])
}

async function read<T>(url: string): Promise<T> {
  const response = await fetch(url)
  if (!response.ok) throw new Error(`${url} returned ${response.status}`)
  // The cast is safe: the site sent the response, and the next step fails if data is missing.
  return (await response.json()) as T
}

function requireValue<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('The site returned an unexpected response')
  return value
}
