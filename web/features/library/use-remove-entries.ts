import { useQueryClient, type InfiniteData, type QueryKey } from '@tanstack/react-query'
import { i18n } from '#web/i18n/index.ts'
import { notify } from '#web/lib/notify.ts'

interface Page<Entry> {
  list: Entry[]
  next_cursor: string | null
}

/**
 * Returns a function that removes entries from a list with an optimistic update. If the server call fails, the entries
 * reappear and a message is shown.
 * @param idOf returns the id of an entry's video
 */
export function useRemoveEntries<Entry>(
  queryKey: QueryKey,
  idOf: (entry: Entry) => string,
  send: (videoIds: string[]) => Promise<unknown>,
): (videoIds: string[]) => void {
  const queryClient = useQueryClient()
  return (videoIds) => {
    const removedIds = new Set(videoIds)
    const previousData = queryClient.getQueryData<InfiniteData<Page<Entry>>>(queryKey)
    void queryClient.cancelQueries({ queryKey })
    queryClient.setQueryData<InfiniteData<Page<Entry>>>(
      queryKey,
      (data) => data && withoutEntries(data, removedIds, idOf),
    )
    send(videoIds)
      .then(() => queryClient.invalidateQueries({ queryKey: [queryKey[0]] }))
      .catch(() => {
        queryClient.setQueryData(queryKey, previousData)
        notify(i18n.t('lists.removeFailed'))
      })
  }
}

function withoutEntries<Entry>(
  data: InfiniteData<Page<Entry>>,
  removedIds: ReadonlySet<string>,
  idOf: (entry: Entry) => string,
): InfiniteData<Page<Entry>> {
  const pages = data.pages.map((page) => ({
    ...page,
    list: page.list.filter((entry) => !removedIds.has(idOf(entry))),
  }))
  return { ...data, pages }
}
