import { queryOptions } from '@tanstack/react-query'
import { showSettings } from '#contract/studio/settings.ts'
import { call } from '#web/lib/api.ts'

/** What can be changed while the site runs. */
export const settingsQuery = queryOptions({
  queryKey: ['settings'],
  queryFn: ({ signal }) => call(showSettings, { signal }),
})
