import { queryOptions } from '@tanstack/react-query'
import { getPage } from '#contract/pages.ts'
import { call } from '#web/lib/api.ts'

/** One of the site's texts, in the interface language. */
export const pageQuery = (name: string) =>
  queryOptions({
    queryKey: ['page', name],
    queryFn: ({ signal }) => call(getPage, { query: { name }, signal }),
  })
