import { queryOptions } from '@tanstack/react-query'
import { showSettings } from '#contract/studio/settings.ts'
import { call } from '#web/lib/api.ts'

/** The runtime settings. */
export const settingsQuery = queryOptions({
  queryKey: ['settings'],
  queryFn: ({ signal }) => call(showSettings, { signal }),
})
