import { onlineManager, QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { createBrowserRouter } from 'react-router'
import { RouterProvider } from 'react-router/dom'
import { areas } from './areas.ts'
import { Failed } from './Failed.tsx'
import { Home } from './Home.tsx'
import { NotFound } from './NotFound.tsx'
import { Shell } from './Shell.tsx'
import { Welcome } from './Welcome.tsx'

// A refused call is refused again, and a failed one has a retry button: neither is repeated by itself.
const queryClient = new QueryClient({
  defaultOptions: { queries: { staleTime: 10_000, retry: false } },
})

/** A page's code that is asked for without a connection comes once it is back, as its data does. */
function whenOnline(): Promise<void> {
  return new Promise((resolve) => {
    if (onlineManager.isOnline()) return resolve()
    const stop = onlineManager.subscribe((online) => {
      if (!online) return
      stop()
      resolve()
    })
  })
}

const router = createBrowserRouter([
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
          ...areas.map(({ path, load }) => ({ path: `${path}/*`, lazy: () => whenOnline().then(load) })),
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
