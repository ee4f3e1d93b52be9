import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import '#web/i18n/later.ts'
// Once it is here, no failure later needs to fetch it.
import '#web/ui/toast.ts'
import { Privacy } from '#web/features/tracking/Privacy.tsx'
import { OfflineLine } from './OfflineLine.tsx'
import { registerServiceWorker } from './register-service-worker.ts'

void registerServiceWorker()

/** Parts around the screens that nothing waits for; they load once the page is idle. */
export function Later({ asked, onDone }: { asked: boolean; onDone: () => void }) {
  const queryClient = useQueryClient()
  useEffect(() => {
    // A finger does not hover.
    if (!matchMedia('(hover: hover) and (pointer: fine)').matches) return undefined
    const started = import('#web/features/media/hover-previews.ts')
      .then(({ startHoverPreviews }) => startHoverPreviews(queryClient))
      // Nobody misses them.
      .catch(() => () => {})
    return () => void started.then((stop) => stop())
  }, [queryClient])
  return (
    <>
      <OfflineLine />
      <Privacy asked={asked} onDone={onDone} />
    </>
  )
}
