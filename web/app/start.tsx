import { startTransition } from 'react'
import { createRoot } from 'react-dom/client'
import { loadTexts } from '#web/i18n/index.ts'
import { trackVisit } from '#web/lib/tracking/funnel.ts'
import { settings } from '#web/lib/settings.ts'
import '#web/ui/base.css'
import { openRouter } from './router.tsx'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from 'react-router/dom'

/**
 * Mounts the site into the document, in the visitor's language.
 * @param fromCampaignLink true if the URL has a referrer token or a click id
 */
export async function start(fromCampaignLink: boolean): Promise<void> {
  const router = openRouter()
  trackVisit(fromCampaignLink)
  const { sentry } = settings
  if (sentry)
    void import('./reporting/load-error-reporting.ts').then(({ loadErrorReportingWhenIdle }) =>
      loadErrorReportingWhenIdle(sentry),
    )
  await loadTexts('base')
  const element = document.getElementById('app')
  // A transition lets a slow phone handle input during the first rendering.
  if (element) startTransition(() => createRoot(element).render(<Providers router={router} />))
}

// Calls are not retried automatically: a rejected call would be rejected again, and a failed call has a retry button.
const queryClient = new QueryClient({
  defaultOptions: { queries: { staleTime: 60_000, retry: false, refetchOnWindowFocus: false } },
})

function Providers({ router }: { router: ReturnType<typeof openRouter> }) {
  return (
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} onError={reportError} />
    </QueryClientProvider>
  )
}
