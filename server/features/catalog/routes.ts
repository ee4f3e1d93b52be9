import { getHomepage, getVideo, queryHomepage, type Video } from '#contract/catalog.ts'
import type { Language } from '#contract/languages.ts'
import { createAnswerCache } from '#server/platform/answer-cache.ts'
import { route, type Route, type Viewer } from '#server/platform/http/route.ts'
import type { Clock } from '#server/platform/clock.ts'
import type { Db } from '#server/tables.ts'
import { listVideos, loadHomepage, loadVideo } from './catalog.ts'

type Personal = Pick<Video, 'favorite' | 'resume'>

export interface CatalogRoutesContext {
  db: Db
  clock: Clock
  /** What a video's page shows of one viewer alone; library knows it, context.ts joins the two. */
  personalFor(db: Db, viewer: Viewer, videoId: string): Promise<Personal>
}

const nothingKept: Personal = { favorite: false, resume: null }

export function catalogRoutes({ db, clock, personalFor }: CatalogRoutesContext): Route[] {
  const homepages = createAnswerCache(clock)
  const videos = createAnswerCache(clock)
  const shared = createAnswerCache<Awaited<ReturnType<typeof loadVideo>>>(clock)
  const load = (id: string, language: Language) => loadVideo(db, id, language)
  return [
    route(getHomepage, (call) =>
      homepages.get(call.language, async () =>
        call.serialise({ info: await loadHomepage(db, call.language) }),
      ),
    ),
    route(queryHomepage, async ({ query, language }) => ({ data: await listVideos(db, query, language) })),
    route(getVideo, async (call) => {
      const { viewer, language } = call
      const { id } = call.query
      if (viewer?.kept) {
        const everybodys = shared.get(`${language} ${id}`, () => load(id, language))
        const [video, personal] = await Promise.all([everybodys, personalFor(db, viewer, id)])
        return { info: { ...video, ...personal } }
      }
      return videos.get(`${language} ${id}`, async () =>
        call.serialise({ info: { ...(await load(id, language)), ...nothingKept } }),
      )
    }),
  ]
}
