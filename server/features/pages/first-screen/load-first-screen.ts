import type { Video } from '#contract/catalog.ts'
import { Refusal } from '#contract/errors.ts'
import type { Language } from '#contract/languages.ts'
import type { Episode, PlayableEpisode } from '#contract/media.ts'
import { loadVideo, type Catalog } from '#server/features/catalog/catalog.ts'
import { pricesFor, withVariantPrices } from '#server/features/experiments/experiments.ts'
import type { ViewerState } from '#server/features/library/library.ts'
import {
  findEpisode,
  listEpisodes,
  loadPlayableAndNext,
  type MediaContext,
} from '#server/features/media/media.ts'
import { identify, type MembersContext } from '#server/features/members/members.ts'
import type { Viewer } from '#server/platform/http/route.ts'
import type { Db } from '#server/tables.ts'

export interface FirstScreenContext extends MediaContext, MembersContext, Catalog {
  /** Loads the viewer-specific part of a video's page, after the viewer's pending positions are written. */
  personalFor(db: Db, viewer: Viewer | null, videoId: string): Promise<ViewerState>
}

export interface FirstScreenRequest {
  cookies: Record<string, string | undefined>
  language: Language
  videoId: string
  /** The number in the address's `?episode=N`. The default is the last watched episode, otherwise the first. */
  episodeNumber: number | undefined
}

/** Data of a video page's first screen, as GET /api/video and GET /api/video/episode return it. */
export interface FirstScreen {
  language: Language
  video: Video
  episodes: { list: Episode[]; next_cursor: string | null }
  playable: PlayableEpisode | undefined
  /** The episode after `playable`, for viewers who swipe before the browser could request that episode. */
  following: PlayableEpisode | undefined
  /**
   * True if experiments are running and the viewer has no id yet. The browser loads the data again once the viewer has
   * an id.
   */
  undecided?: true
}

/**
 * Loads the first screen of a video's page. It is embedded in the document, so that playback starts without a further
 * request. `playable` and `following` are undefined if the episode is locked or still being transcoded.
 * @returns undefined if the video does not exist
 */
export async function loadFirstScreen(
  context: FirstScreenContext,
  request: FirstScreenRequest,
): Promise<FirstScreen | undefined> {
  const { db } = context
  const { videoId, episodeNumber, language } = request
  const viewer = await identify(context, { cookies: request.cookies, headers: {} })
  try {
    const [video, personal, episodes] = await Promise.all([
      loadVideo(context, videoId, language),
      context.personalFor(db, viewer, videoId),
      listEpisodes(context, viewer, { video_id: videoId }, language),
    ])
    const number = episodeNumber ?? personal.resume?.number ?? 1
    // `episodes` is only the first page of the list, so the episode may be on a later page.
    const first =
      episodes.list.find((episode) => episode.number === number) ??
      (await findEpisode(context, viewer, { videoId, number }, language))
    const playback =
      first && first.ready && first.state !== 'locked'
        ? await loadPlayableAndNext(context, viewer, first.id, language)
        : { playable: undefined, following: undefined }
    const running = await context.experiments.running()
    const undecided = viewer === null && running.length > 0
    const price = withVariantPrices(video.price, pricesFor(running, viewer?.userId, videoId))
    const screen = { language, video: { ...video, price, ...personal }, episodes, ...playback }
    return undecided ? { ...screen, undecided } : screen
  } catch (error) {
    if (error instanceof Refusal) return undefined
    throw error
  }
}
