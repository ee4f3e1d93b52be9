import { QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { createBrowserRouter, type DataRouter, Navigate } from 'react-router'
import { RouterProvider } from 'react-router/dom'
import { areas } from './areas.ts'
import { loadArea } from './load-area.ts'
import { NotFound } from './NotFound.tsx'
import { watchSession, useOperatorSession } from './session-queries.ts'
import { StudioShell } from './StudioShell.tsx'
import { AcceptInvitation } from './AcceptInvitation.tsx'
import { hideError } from '#web/lib/notify.ts'
import { LoadError } from '#web/ui/LoadError.tsx'
import { useTexts } from './texts.ts'
import { Page } from './ui/Page.tsx'
import { isAllowed } from '#contract/studio/roles.ts'
import { showSetupGuide } from '#contract/studio/setup-guide.ts'
import { SetupGuide } from './setup-guide/SetupGuide.tsx'

// Calls are not retried automatically: a rejected call would be rejected again, and a failed one has a retry button.
const queryClient = new QueryClient({
  queryCache: new QueryCache({
    // Without data, the screen itself shows the error and a retry button. The toast of `call` would repeat the error, and
    // could cover that button. Queries with `toastOnly` have no error on the screen, so their toast stays.
    onError: (_error, { state, meta }) => state.data === undefined && !meta?.toastOnly && hideError(),
  }),
  defaultOptions: { queries: { staleTime: 10_000, retry: false } },
})
watchSession(queryClient)

const router: DataRouter = createBrowserRouter([
  { path: '/studio/welcome', Component: AcceptInvitation, ErrorBoundary: AreaError },
  {
    path: '/studio',
    Component: StudioShell,
    HydrateFallback: () => null,
    children: [
      {
        ErrorBoundary: AreaError,
        children: [
          { index: true, Component: Home },
          ...areas.map((area) => ({
            path: `${area.path}/*`,
            lazy: () => loadArea(area, { router, queryClient }),
          })),
          { path: '*', Component: NotFound },
        ],
      },
    ],
  },
])

/** The studio: its routes and its query cache. */
export function StudioApp() {
  return (
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} onError={reportError} />
    </QueryClientProvider>
  )
}

/** Shown instead of a screen that has crashed; the rest of the studio keeps working. */
function AreaError() {
  const { t } = useTexts()
  return (
    <Page title={t('shell.broken')}>
      <LoadError text={t('shell.brokenText')} onRetry={() => location.reload()} />
    </Page>
  )
}

/** The start page: the setup guide for operators who may see it, else the first area of their role. */
function Home() {
  const { role } = useOperatorSession().operator
  const next = areas.find((area) => isAllowed(role, area))?.path ?? '/studio/nothing'
  return isAllowed(role, showSetupGuide) ? <SetupGuide next={next} /> : <Navigate to={next} replace />
}
