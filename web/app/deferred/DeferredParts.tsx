import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import '#web/i18n/later.ts'
// Preloaded, so that an error toast needs no fetch when the connection fails.
import '#web/ui/toast.ts'
import { Privacy } from '#web/features/tracking/Privacy.tsx'
import { OfflineBanner } from './OfflineBanner.tsx'
import { registerServiceWorker } from './register-service-worker.ts'

void registerServiceWorker()

/** Parts of the page that no screen waits for; they load once the page is idle. */
export function DeferredParts({
  asked: showsPrivacyChoices,
  onDone,
}: {
  asked: boolean
  onDone: () => void
}) {
  const queryClient = useQueryClient()
  useEffect(() => {
    // Touch devices have no hover.
    if (!matchMedia('(hover: hover) and (pointer: fine)').matches) return undefined
    const started = import('#web/features/media/hover-previews.ts')
      .then(({ startHoverPreviews }) => startHoverPreviews(queryClient))
      // Previews are optional.
      .catch(() => () => {})
    return () => void started.then((stop) => stop())
  }, [queryClient])
  return (
    <>
      <OfflineBanner />
      <Privacy showsPrivacyChoices={showsPrivacyChoices} onDone={onDone} />
    </>
  )
}
