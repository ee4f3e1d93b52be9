import { useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useState, useSyncExternalStore } from 'react'
import { onConsent } from '#web/lib/tracking/consent.ts'
import { shouldShowConsentBanner } from '#web/lib/tracking/consent-banner.ts'
import { ConsentBanner } from './ConsentBanner.tsx'
import { ConsentDetails } from './ConsentDetails.tsx'
import { arePixelsLoaded, removePixelCookies, readConfiguredPixels } from './pixels/pixels.ts'
import { reportsQuery } from './queries.ts'
import { useConsent } from './use-consent.ts'
import { usePixels } from './use-pixels.ts'

/**
 * True in the page that the service worker has cached for offline use. That page may be older than the tracking
 * settings, and its Content Security Policy allows no pixels.
 */
const isCachedShell = document.querySelector('meta[name=offline]') !== null

interface ConsentAndPixelsProps {
  /** Whether the user opened the privacy choices. */
  showsPrivacyChoices: boolean
  onDone: () => void
}

/** The consent question, and the marketing pixels that depend on its answer. */
export function ConsentAndPixels({ showsPrivacyChoices, onDone }: ConsentAndPixelsProps) {
  const { data } = useQuery(reportsQuery)
  const pixels = useMemo(() => readConfiguredPixels(data?.list ?? []), [data])
  const { answer, setConsent } = useConsent()
  usePixels(pixels, answer === true && !isCachedShell)
  useEffect(() => {
    if (data) performance.mark('privacy-ready')
  }, [data])
  const [showsDetails, setShowsDetails] = useState(false)
  const showsConsentBanner = useSyncExternalStore(onConsent, shouldShowConsentBanner)
  if (!showsPrivacyChoices && !showsDetails && !showsConsentBanner) return null
  const close = () => {
    setShowsDetails(false)
    onDone()
  }
  const choose = async (agreed: boolean) => {
    close()
    await setConsent(agreed)
    // A script that runs cannot be removed from a page, so the page is reloaded.
    if (agreed || !arePixelsLoaded()) return
    removePixelCookies(pixels)
    location.reload()
  }
  if (!showsPrivacyChoices && !showsDetails)
    return (
      <ConsentBanner onChoose={(agreed) => void choose(agreed)} onDetails={() => setShowsDetails(true)} />
    )
  return (
    <ConsentDetails
      answer={answer}
      platforms={pixels.map(({ kind }) => kind.name)}
      onChoose={(agreed) => void choose(agreed)}
      onClose={close}
    />
  )
}
