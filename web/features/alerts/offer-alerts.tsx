import { QueryClientProvider, type QueryClient } from '@tanstack/react-query'
import { createRoot } from 'react-dom/client'
import { userQuery } from '#web/features/members/queries.ts'
import { withTexts } from '#web/i18n/with-texts.ts'
import { readRecord, saveRecord } from '#web/lib/storage.ts'
import { alertsQuery } from './queries.ts'

const asked = 'alerts-asked'

/** Asks about alerts where they could be sent and the person was not asked before in this browser. */
export async function offerAlerts(queryClient: QueryClient): Promise<void> {
  if (readRecord<boolean>(asked) || queryClient.getQueryData(userQuery.queryKey)?.role !== 'member') return
  const { mail, can_mail } = await queryClient.fetchQuery(alertsQuery)
  if (mail || !can_mail) return
  const { AlertPrompt } = await withTexts('watch', withTexts('mine', import('./AlertPrompt.tsx')))
  saveRecord(asked, true)
  const place = document.createElement('div')
  // Inside the shell, for its accent.
  const shell = document.querySelector('#app > *') ?? document.body
  shell.append(place)
  const root = createRoot(place)
  const close = () => {
    root.unmount()
    place.remove()
  }
  root.render(
    <QueryClientProvider client={queryClient}>
      <AlertPrompt onClose={close} />
    </QueryClientProvider>,
  )
}
