import { useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useState, useSyncExternalStore } from 'react'
import { onConsent } from '#web/lib/tracking/consent.ts'
import { isConsentOpen } from '#web/lib/tracking/consent-question.ts'
import { ConsentBar } from './ConsentBar.tsx'
import { ConsentBanner } from './ConsentBanner.tsx'
import { arePixelsLoaded, removePixelCookies, setUpPixels } from './pixels/pixels.ts'
import { reportsQuery } from './queries.ts'
import { useConsent } from './use-consent.ts'
import { usePixels } from './use-pixels.ts'

/** True in the service worker's cached shell: it may be older than the settings, and its Content Security Policy allows no pixels. */
const inKeptShell = document.querySelector('meta[name=offline]') !== null

interface PrivacyProps {
  /** Whether the user opened the privacy choices. */
  asked: boolean
  onDone: () => void
}

/** The consent question, and the marketing pixels that depend on its answer. */
export function Privacy({ asked, onDone }: PrivacyProps) {
  const { data } = useQuery(reportsQuery)
  const pixels = useMemo(() => setUpPixels(data?.list ?? []), [data])
  const { answer, say } = useConsent()
  usePixels(pixels, answer === true && !inKeptShell)
  useEffect(() => {
    if (data) performance.mark('privacy-ready')
  }, [data])
  const [isReading, setReading] = useState(false)
  const isOpen = useSyncExternalStore(onConsent, isConsentOpen)
  if (!asked && !isReading && !isOpen) return null
  const close = () => {
    setReading(false)
    onDone()
  }
  const choose = async (agreed: boolean) => {
    close()
    await say(agreed)
    // A running script cannot be removed from a page.
    if (agreed || !arePixelsLoaded()) return
    removePixelCookies(pixels)
    location.reload()
  }
  if (!asked && !isReading)
    return <ConsentBar onChoose={(agreed) => void choose(agreed)} onDetails={() => setReading(true)} />
  return (
    <ConsentBanner
      answer={answer}
      platforms={pixels.map(({ kind }) => kind.name)}
      onChoose={(agreed) => void choose(agreed)}
      onClose={close}
    />
  )
}
