import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { createBrowserRouter, type DataRouter } from 'react-router'
import { RouterProvider } from 'react-router/dom'
import { areas } from './areas.ts'
import { loadArea } from './load-area.ts'
import { Failed } from './Failed.tsx'
import { Home } from './Home.tsx'
import { NotFound } from './NotFound.tsx'
import { watchSession } from './queries.ts'
import { Shell } from './Shell.tsx'
import { Welcome } from './Welcome.tsx'

// Calls are not retried automatically: a refused one would be refused again, and a failed one has a retry button.
const queryClient = new QueryClient({
  defaultOptions: { queries: { staleTime: 10_000, retry: false } },
})
watchSession(queryClient)

const router: DataRouter = createBrowserRouter([
  { path: '/studio/welcome', Component: Welcome, ErrorBoundary: Failed },
  {
    path: '/studio',
    Component: Shell,
    HydrateFallback: () => null,
    children: [
      {
        ErrorBoundary: Failed,
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

/** The operator's desk. */
export function StudioApp() {
  return (
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} onError={reportError} />
    </QueryClientProvider>
  )
}
