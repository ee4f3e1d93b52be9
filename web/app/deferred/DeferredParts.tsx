import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import '#web/i18n/notices.ts'
// Preloaded, because an error toast must also appear without a connection.
import '#web/ui/toast.ts'
import { ConsentAndPixels } from '#web/features/tracking/ConsentAndPixels.tsx'
import { OfflineBanner } from './OfflineBanner.tsx'
import { registerServiceWorker } from './register-service-worker.ts'

void registerServiceWorker()

/** The parts of the page that no screen needs. They are loaded when the page is idle. */
export function DeferredParts({
  showsPrivacyChoices,
  onDone,
}: {
  showsPrivacyChoices: boolean
  onDone: () => void
}) {
  const queryClient = useQueryClient()
  useEffect(() => {
    // The previews on hover need a mouse.
    if (!matchMedia('(hover: hover) and (pointer: fine)').matches) return undefined
    const started = import('#web/features/media/hover-previews.ts')
      .then(({ startHoverPreviews }) => startHoverPreviews(queryClient))
      // The previews are optional, so a failed load is ignored.
      .catch(() => () => {})
    return () => void started.then((stop) => stop())
  }, [queryClient])
  return (
    <>
      <OfflineBanner />
      <ConsentAndPixels showsPrivacyChoices={showsPrivacyChoices} onDone={onDone} />
    </>
  )
}
