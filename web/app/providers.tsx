import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from 'react-router/dom'
import type { openRouter } from './router.tsx'

// Calls are not retried automatically: a refused one would be refused again, and a failed one has a retry button.
const queryClient = new QueryClient({
  defaultOptions: { queries: { staleTime: 60_000, retry: false, refetchOnWindowFocus: false } },
})

export function Providers({ router }: { router: ReturnType<typeof openRouter> }) {
  return (
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} onError={reportError} />
    </QueryClientProvider>
  )
}
