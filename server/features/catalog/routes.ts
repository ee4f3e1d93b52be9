import {
  getHomepage,
  getVideo,
  listTags as listTagsCall,
  queryHomepage,
  type Video,
} from '#contract/catalog.ts'
import type { ResultOf } from '#contract/endpoint.ts'
import type { Language } from '#contract/languages.ts'
import { createResponseCache } from '#server/platform/response-cache.ts'
import { route, type Route, type Viewer } from '#server/platform/http/route.ts'
import type { Clock } from '#server/platform/clock.ts'
import type { Db } from '#server/tables.ts'
import {
  loadHomepage,
  loadVideo,
  personaliseHomepage,
  type Catalog,
  type Copyright,
  type PayTheme,
} from './catalog.ts'
import { listTags } from './listing/list-tags.ts'
import { listVideos } from './listing/list-videos.ts'
import type { LoadWatched } from './recommendations/recommend-videos.ts'

type ViewerState = Pick<Video, 'favorite' | 'resume'>

export interface CatalogRoutesContext extends Catalog {
  /** Primary database, for viewer-specific data; `readDb` may lag behind it. */
  db: Db
  clock: Clock
  /** Loads the viewer-specific part of a video's page. The library implements it; context.ts connects the two. */
  personalFor(db: Db, viewer: Viewer, videoId: string): Promise<ViewerState>
  /** The homepage's copyright line and icon if the operator has set none. */
  copyright(): Copyright
  /**
   * Returns how experiments change the checkout theme for a viewer. Experiments implement it; context.ts connects the
   * two.
   */
  payThemeFor(viewer: Viewer): Promise<Partial<PayTheme>>
  /**
   * Returns a function that applies experiments to the prices of a video for a viewer, or undefined if no experiment
   * applies.
   */
  pricesFor(viewer: Viewer, videoId: string): Promise<((price: Video['price']) => Video['price']) | undefined>
  /** Returns the videos that a viewer watched recently, newest first. */
  recentlyWatched(db: Db, viewer: Viewer): Promise<string[]>
}

const emptyViewerState: ViewerState = { favorite: false, resume: null }

export function catalogRoutes(context: CatalogRoutesContext): Route[] {
  const { db, readDb, clock, personalFor, recentlyWatched } = context
  const watchedBy =
    (viewer: Viewer | null): LoadWatched =>
    async () =>
      viewer?.isStored ? recentlyWatched(db, viewer) : []
  const homepages = createResponseCache(clock)
  const sharedHomepages = createResponseCache<Awaited<ReturnType<typeof loadHomepage>>>(clock, {
    stale: true,
  })
  const videos = createResponseCache(clock, { stale: true })
  const lists = createResponseCache(clock, { stale: true })
  const tags = createResponseCache(clock, { stale: true })
  const sharedVideos = createResponseCache<Awaited<ReturnType<typeof loadVideo>>>(clock)
  const load = (id: string, language: Language) => loadVideo(context, id, language)
  return [
    route(getHomepage, async (call) => {
      const { viewer, language } = call
      const load = () =>
        sharedHomepages.get(language, () => loadHomepage(readDb, language, context.copyright()))
      const { personal } = viewer?.isStored ? await load() : { personal: [] }
      const themeChanges = viewer ? await context.payThemeFor(viewer) : {}
      const withTheme = (info: ResultOf<typeof getHomepage>) => ({
        info: { ...info, pay_theme: { ...info.pay_theme, ...themeChanges } },
      })
      if (personal.length > 0)
        return withTheme(await personaliseHomepage(context, await load(), language, watchedBy(viewer)))
      // Viewers with the same theme share a homepage.
      const key = JSON.stringify([language, themeChanges.layout, themeChanges.accent])
      return homepages.get(key, async () => call.serialise(withTheme((await load()).info)))
    }),
    route(queryHomepage, async (call) => {
      const { query, language, viewer } = call
      const list = async () => ({ data: await listVideos(context, query, language, watchedBy(viewer)) })
      // A section may have recommendations for one viewer. Any other list is the same for all viewers.
      if (query.section !== undefined && viewer?.isStored) return list()
      const { section, menu, tag, keyword, sort, cursor, limit } = query
      const key = JSON.stringify([language, section, menu, tag, keyword, sort, cursor, limit])
      return lists.get(key, async () => call.serialise(await list()))
    }),
    route(listTagsCall, async (call) => {
      const { query, language } = call
      const key = JSON.stringify([language, query.keyword, query.cursor, query.limit])
      return tags.get(key, async () => call.serialise({ data: await listTags(readDb, query, language) }))
    }),
    route(getVideo, async (call) => {
      const { viewer, language } = call
      const { id } = call.query
      const applyPrices = viewer ? await context.pricesFor(viewer, id) : undefined
      if (viewer && (viewer.isStored || applyPrices)) {
        const sharedVideo = sharedVideos.get(`${language} ${id}`, () => load(id, language))
        const [video, personal] = await Promise.all([sharedVideo, personalFor(db, viewer, id)])
        return {
          info: { ...video, price: applyPrices ? applyPrices(video.price) : video.price, ...personal },
        }
      }
      return videos.get(`${language} ${id}`, async () =>
        call.serialise({ info: { ...(await load(id, language)), ...emptyViewerState } }),
      )
    }),
  ]
}
