import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { Language } from '#contract/languages.ts'
import type { PageName } from '#contract/pages.ts'
import { listTexts, previewText, showText } from '#contract/studio/texts.ts'
import { call, CallRejected } from '#web/lib/api.ts'

export const textsQuery = queryOptions({
  queryKey: ['texts'],
  queryFn: ({ signal }) => call(listTexts, { signal }),
})

export const textQuery = (name: PageName, language: Language) =>
  queryOptions({
    queryKey: ['text', name, language],
    queryFn: ({ signal }) => call(showText, { query: { name, language }, signal }),
    // A refetch must not change what the operator is editing.
    staleTime: Infinity,
    gcTime: 0,
  })

/** The preview of a page; the previous one stays until the next is loaded. */
export const previewQuery = (markdown: string) =>
  queryOptions({
    queryKey: ['text-preview', markdown],
    queryFn: ({ signal }) => call(previewText, { body: { markdown }, signal }),
    placeholderData: keepPreviousData,
    staleTime: Infinity,
    gcTime: 0,
  })

/** The code of a rejection because another operator has saved in the meantime (contract/errors.ts). */
const movedOn = 409

export const isMovedOn = (error: unknown): boolean => error instanceof CallRejected && error.code === movedOn
