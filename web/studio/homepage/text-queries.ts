import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { Language } from '#contract/languages.ts'
import type { PageName } from '#contract/pages.ts'
import { listPageTexts, previewPageText, showPageText } from '#contract/studio/page-texts.ts'
import { call, ApiError } from '#web/lib/api.ts'

export const textsQuery = queryOptions({
  queryKey: ['texts'],
  queryFn: ({ signal }) => call(listPageTexts, { signal }),
})

export const textQuery = (name: PageName, language: Language) =>
  queryOptions({
    queryKey: ['text', name, language],
    queryFn: ({ signal }) => call(showPageText, { query: { name, language }, signal }),
    // Not refetched when the window gets the focus, because that could change what the operator is editing.
    staleTime: Infinity,
    gcTime: 0,
  })

/** The preview of a text. The previous preview stays until the next one has loaded. */
export const previewQuery = (markdown: string) =>
  queryOptions({
    queryKey: ['text-preview', markdown],
    queryFn: ({ signal }) => call(previewPageText, { body: { markdown }, signal }),
    placeholderData: keepPreviousData,
    staleTime: Infinity,
    gcTime: 0,
  })

/** The error code if another operator has saved the text meanwhile (contract/errors.ts). */
const conflictCode = 409

export const isVersionConflict = (error: unknown): boolean =>
  error instanceof ApiError && error.code === conflictCode
