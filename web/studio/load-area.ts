import { onlineManager, type QueryClient } from '@tanstack/react-query'
import { matchPath, type DataRouter } from 'react-router'
import { tabStorage } from '#web/lib/storage.ts'
import type { Area } from './areas.ts'

/** Set while the document is reloaded because an area's code failed to load. Prevents a second reload. */
const reloadedAreaKey = 'area-opened-anew'

/** Returns the location to which the router is navigating, or the current one. */
const destinationOf = ({ state }: DataRouter) => state.navigation.location ?? state.location

/**
 * Loads the code of an area once the browser is online. Chromium does not fetch a module again in the same document
 * after its load has failed. Therefore, once the site responds, the document is reloaded.
 * @throws the load error, if a reload has not helped or the operator has navigated to another area
 */
export async function loadArea(
  { path, load }: Area,
  { router, queryClient }: { router: DataRouter; queryClient: QueryClient },
): Promise<Awaited<ReturnType<Area['load']>>> {
  await waitUntilOnline()
  try {
    const area = await load()
    tabStorage.remove(reloadedAreaKey)
    return area
  } catch (error) {
    if (onlineManager.isOnline() && tabStorage.get(reloadedAreaKey)) throw error
    await waitUntilReachable(queryClient)
    const destination = destinationOf(router)
    if (!matchPath(`${path}/*`, destination.pathname)) throw error
    tabStorage.set(reloadedAreaKey, path)
    if (destination === router.state.location) location.reload()
    else location.assign(router.createHref(destination))
    return new Promise(() => {})
  }
}

function waitUntilOnline(): Promise<void> {
  return new Promise((resolve) => {
    if (onlineManager.isOnline()) return resolve()
    const stop = onlineManager.subscribe((online) => {
      if (!online) return
      stop()
      resolve()
    })
  })
}

/** Requests the studio's document until the site responds. Waits while there is no connection. */
const waitUntilReachable = (queryClient: QueryClient) =>
  queryClient.fetchQuery({
    queryKey: ['studio-document'],
    queryFn: async () => {
      const { ok } = await fetch('/studio', { method: 'HEAD', cache: 'no-store' })
      if (!ok) throw new Error('the studio does not respond')
      return ok
    },
    retry: true,
    retryDelay: 2000,
    staleTime: 0,
  })
