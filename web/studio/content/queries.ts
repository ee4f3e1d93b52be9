import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import {
  getStudioVideo,
  listStudioEpisodes,
  listStudioVideos,
  listLabels,
  type StudioEpisode,
  type VideoState,
} from '#contract/studio/videos.ts'
import { parseVideoDescription } from '#contract/studio/video-descriptions.ts'
import { listCompletedUploads, listUploads, uploadLimits } from '#contract/studio/uploads.ts'
import { listStudioCategories, listStudioTags, type StudioTag } from '#contract/studio/labels.ts'
import { call } from '#web/lib/api.ts'
import type { SourceFile } from './uploads/source-file.ts'

export const videosQuery = (keyword: string, state: VideoState | undefined) =>
  infiniteQueryOptions({
    queryKey: ['videos', keyword, state],
    queryFn: ({ pageParam, signal }) =>
      call(listStudioVideos, {
        query: {
          ...(pageParam ? { cursor: pageParam } : {}),
          ...(keyword ? { keyword } : {}),
          ...(state ? { state } : {}),
        },
        signal,
      }),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }) => next_cursor,
  })

export const videoQuery = (id: string) =>
  queryOptions({
    queryKey: ['video', id],
    queryFn: ({ signal }) => call(getStudioVideo, { query: { id }, signal }),
  })

const pollMs = 2000
const isConverting = ({ state }: StudioEpisode) => state === 'queued' || state === 'processing'

/** The episodes. Polled while files are uploaded or processed. */
export const episodesQuery = (videoId: string, isUploading: boolean) =>
  queryOptions({
    queryKey: ['episodes', videoId],
    queryFn: ({ signal }) => call(listStudioEpisodes, { query: { video_id: videoId }, signal }),
    refetchInterval: ({ state }) =>
      isUploading || state.data?.list.some(isConverting) === true ? pollMs : false,
  })

/** The unfinished and the rejected uploads, including those of other pages and browsers. */
export const uploadsQuery = (videoId: string) =>
  queryOptions({
    queryKey: ['uploads', videoId],
    queryFn: ({ signal }) => call(listUploads, { query: { video_id: videoId }, signal }),
    refetchInterval: ({ state }) =>
      state.data?.list.some((upload) => upload.state !== 'rejected') === true ? pollMs : false,
    meta: { toastOnly: true },
  })

/** The completed uploads; fetched again each time the operator selects files. */
export const uploadedFilesQuery = (videoId: string) =>
  queryOptions({
    queryKey: ['completed uploads', videoId],
    queryFn: ({ signal }) => call(listCompletedUploads, { query: { video_id: videoId }, signal }),
    staleTime: 0,
    gcTime: 0,
    meta: { toastOnly: true },
  })

/** The values of a `video.yaml`, or an error message. */
export const descriptionQuery = (file: SourceFile | undefined) =>
  queryOptions({
    queryKey: ['description', file?.path, file?.bytes, file?.lastModifiedAt.getTime()],
    queryFn: async ({ signal }) => {
      const text = file ? await (await file.read()).text() : ''
      return call(parseVideoDescription, { body: { text }, signal })
    },
    enabled: file !== undefined && file.bytes <= uploadLimits.description,
    retry: false,
  })

export const labelsQuery = queryOptions({
  queryKey: ['labels'],
  queryFn: ({ signal }) => call(listLabels, { signal }),
  meta: { toastOnly: true },
})

/** Returns whether a label can be edited, that is, it is not being merged or deleted. */
export const isEditable = ({ running_task: task }: Pick<StudioTag, 'running_task'>): boolean =>
  task === null || task === 'index'

/** Lists of labels are polled while background tasks change them. */
const pollingInterval = (list: readonly Pick<StudioTag, 'running_task'>[] | undefined) =>
  list?.some(({ running_task }) => running_task !== null) === true ? pollMs : false

/** The tags, the most used first. With a keyword, only those whose name contains it. */
export const tagsQuery = (keyword: string) =>
  infiniteQueryOptions({
    queryKey: ['tags', keyword],
    queryFn: ({ pageParam, signal }) =>
      call(listStudioTags, {
        query: { ...(pageParam ? { cursor: pageParam } : {}), ...(keyword ? { keyword } : {}) },
        signal,
      }),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }) => next_cursor,
    refetchInterval: ({ state }) => pollingInterval(state.data?.pages.flatMap(({ list }) => list)),
  })

export const categoriesQuery = queryOptions({
  queryKey: ['categories'],
  queryFn: ({ signal }) => call(listStudioCategories, { signal }),
  refetchInterval: ({ state }) => pollingInterval(state.data?.list),
})
