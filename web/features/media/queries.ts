import { queryOptions } from '@tanstack/react-query'
import type { Offer } from '#contract/billing.ts'
import { getEpisode, type Episode, type PlayableEpisode } from '#contract/media.ts'
import { call, ApiError } from '#web/lib/api.ts'
import { boot } from '#web/lib/boot.ts'

const perPage = 200
const embeddedAt = performance.timeOrigin
const processingPollMs = 2_000
const refreshBeforeExpiryMs = 90_000

/** All episodes of a video, in order. */
export const episodesQuery = (videoId: string) =>
  queryOptions({
    queryKey: ['episodes', videoId],
    queryFn: ({ signal }) => allEpisodes(videoId, signal),
    initialData: () =>
      boot?.video?.id === videoId && !boot.episodes?.next_cursor ? boot.episodes?.list : undefined,
    initialDataUpdatedAt: boot?.undecided ? 0 : embeddedAt,
  })

async function allEpisodes(videoId: string, signal: AbortSignal): Promise<Episode[]> {
  const episodes: Episode[] = []
  let cursor: string | undefined
  do {
    const page = await call(getEpisode, { query: { video_id: videoId, limit: perPage, cursor }, signal })
    if (!('list' in page)) break
    episodes.push(...page.list)
    cursor = page.next_cursor ?? undefined
  } while (cursor)
  return episodes
}

/** The state of an episode's slide: playable, locked with an offer, or in processing with its progress. */
export type EpisodePlayback =
  | { kind: 'playable'; playable: PlayableEpisode }
  | { kind: 'locked'; offer: Offer }
  | { kind: 'making'; progress: number }

/**
 * The data for an episode's slide. Refetched while the episode is in processing. A signed URL counts as fresh until
 * shortly before it expires.
 */
export const playbackQuery = (episodeId: string) =>
  queryOptions({
    queryKey: ['playing', episodeId],
    queryFn: ({ signal }) => fetchPlayback(episodeId, signal),
    initialData: (): EpisodePlayback | undefined => {
      const playable = [boot?.playable, boot?.following].find((known) => known?.episode.id === episodeId)
      return playable && { kind: 'playable', playable }
    },
    initialDataUpdatedAt: embeddedAt,
    staleTime: ({ state: { data, dataUpdatedAt } }) =>
      data?.kind === 'playable'
        ? Date.parse(data.playable.playback.expires_at) - dataUpdatedAt - refreshBeforeExpiryMs
        : 0,
    refetchInterval: ({ state: { data } }) => (data?.kind === 'making' ? processingPollMs : false),
  })

async function fetchPlayback(episodeId: string, signal: AbortSignal): Promise<EpisodePlayback> {
  try {
    const playable = await call(getEpisode, { query: { episode_id: episodeId }, signal })
    if (!('playback' in playable)) throw new TypeError('the server returned a list instead of one episode')
    return { kind: 'playable', playable }
  } catch (error) {
    const blocked = error instanceof ApiError ? playbackFromError(error) : null
    if (blocked) return blocked
    throw error
  }
}

/** Converts an expected error to a state of the slide. The contract defines the type of `info` for these codes. */
function playbackFromError({ code, info }: ApiError): EpisodePlayback | null {
  if (code === 402) return { kind: 'locked', offer: info as Offer }
  if (code === 409) return { kind: 'making', progress: (info as { progress?: number }).progress ?? 0 }
  return null
}
