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

/** The shell that the service worker kept may be older than the settings, and its policy lets no pixel through. */
const inKeptShell = document.querySelector('meta[name=offline]') !== null

interface PrivacyProps {
  /** The person wants to see their choice, and perhaps to change it. */
  asked: boolean
  onDone: () => void
}

/** The question about marketing, and the pixels that depend on its answer. */
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
    // A script that runs cannot be taken out of a page.
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
