import { useCallback, useEffect, useLayoutEffect, useState } from 'react'
import { usePreferences } from './use-preferences.ts'
import { usePauseInBackground, whenVisible } from './use-pause-in-background.ts'
import type { Source, PlayerError } from '#web/player/engine/player.ts'
import { takeStream, type Stream } from '#web/player/engine/stream.ts'
import { createOnlineRetry } from '#web/player/engine/retry-when-online.ts'

/** A link is renewed this long before it expires. */
const renewBeforeMs = 60_000
const minRenewDelayMs = 3_000

/** Errors that a fresh link does not resolve. */
type Failure = Exclude<PlayerError, 'expired'>

/**
 * Opens the stream of a source and keeps it open until unmount. A fresh link (`source` changes) continues at the same position.
 * Calls `onExpiring` for a fresh link shortly before the old one expires or when it is refused.
 */
export function useStream(source: Source, startMs: number, active: boolean, onExpiring: () => void) {
  const [stream, setStream] = useState<Stream | null>(null)
  const [failure, setFailure] = useState<Failure | null>(null)
  const [renditions, setRenditions] = useState<number[]>([])
  const { quality } = usePreferences()
  const [retryWhenOnline] = useState(createOnlineRetry)

  // A layout effect, so that the stream starts before the first paint.
  useLayoutEffect(() => {
    const opened = takeStream(source, startMs, active)
    setStream(opened)
    return () => {
      setStream(null)
      opened.close()
    }
    // One stream for the slide's whole life; later links go through `renew`.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [])

  useEffect(() => {
    if (!stream) return
    setRenditions(stream.renditions())
    stream.listen({
      onRenditions: () => setRenditions(stream.renditions()),
      onError: (error) => (error === 'expired' ? onExpiring() : setFailure(error)),
    })
  }, [stream, onExpiring])

  const [openedUrl] = useState(source.hls_url)
  useEffect(() => {
    if (source.hls_url !== openedUrl) stream?.renew(source)
    // Only a new link triggers this; the stream stays the same.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [source.hls_url])

  useEffect(() => {
    const renewInMs = Math.max(minRenewDelayMs, Date.parse(source.expires_at) - Date.now() - renewBeforeMs)
    // A fresh link that looks expired means that the clock is wrong; the server then refuses it once it has expired.
    if (renewInMs === minRenewDelayMs && source.hls_url !== openedUrl) return
    let cancelRenewal = () => {}
    const timer = setTimeout(() => (cancelRenewal = whenVisible(onExpiring)), renewInMs)
    return () => {
      clearTimeout(timer)
      cancelRenewal()
    }
  }, [source, openedUrl, onExpiring])

  useEffect(() => stream?.setActive(active), [stream, active])
  usePauseInBackground(stream, active)
  useEffect(() => stream?.chooseRendition(quality), [stream, quality])

  const retry = useCallback(() => {
    setFailure(null)
    stream?.retry()
  }, [stream])
  useEffect(() => {
    // A stream that failed while it waited may work now.
    if (active && failure === 'broken') retry()
    // Only when the slide comes on screen; an error that happens there is shown.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [active])
  useEffect(() => {
    // The lost network may have been the cause.
    if (failure === 'broken') return retryWhenOnline(retry)
  }, [failure, retry, retryWhenOnline])
  return { stream, renditions, failure, retry }
}
