import { useQuery } from '@tanstack/react-query'
import { useEffect, useMemo } from 'react'
import { adIds } from '#web/lib/visit.ts'
import { settings } from '#web/lib/settings.ts'
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
  if (!asked && (answer !== null || !isToBeAsked(pixels.length))) return null
  const choose = async (agreed: boolean) => {
    onDone()
    await say(agreed)
    // A script that runs cannot be taken out of a page.
    if (agreed || !arePixelsLoaded()) return
    removePixelCookies(pixels)
    location.reload()
  }
  return (
    <ConsentBanner
      answer={answer}
      asked={asked}
      platforms={pixels.map(({ kind }) => kind.name)}
      onChoose={(agreed) => void choose(agreed)}
      onClose={onDone}
    />
  )
}

/** Nobody is asked for what nothing here would use. */
const isToBeAsked = (pixels: number) =>
  pixels > 0 || settings.consent === 'strict' || Object.keys(adIds()).length > 0
