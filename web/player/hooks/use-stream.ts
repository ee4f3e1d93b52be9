import { useCallback, useEffect, useLayoutEffect, useState } from 'react'
import { usePreferences } from './use-preferences.ts'
import { usePauseInBackground, whenVisible } from './use-pause-in-background.ts'
import type { Source, PlayerError } from '#web/player/engine/player.ts'
import { takeStream, type Stream } from '#web/player/engine/stream.ts'
import { createOnlineRetry } from '#web/player/engine/retry-when-online.ts'

/** Time before the expiry at which a link is renewed. */
const renewBeforeMs = 60_000
const minRenewDelayMs = 3_000

/** Errors that a fresh link does not resolve. */
type Failure = Exclude<PlayerError, 'expired'>

/**
 * Opens the stream of a source and closes it on unmount. When `source` changes to a fresh link, playback continues at
 * the same position. Calls `onExpiring` shortly before the link expires, and when the server refuses it; the caller
 * then provides a fresh link.
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
    // Opened once per slide; later links are passed to `renew`.
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
    // Runs only when the link changes, because the stream is opened once per slide.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [source.hls_url])

  useEffect(() => {
    const renewInMs = Math.max(minRenewDelayMs, Date.parse(source.expires_at) - Date.now() - renewBeforeMs)
    // A fresh link that already looks expired means that the device's clock is wrong. Renewal then waits until the
    // server refuses the link.
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
    // A stream that failed before it was on screen may work now.
    if (active && failure === 'broken') retry()
    // Runs only when the slide comes on screen. A later error is shown instead of retried here.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [active])
  useEffect(() => {
    // A lost connection may have been the cause.
    if (failure === 'broken') return retryWhenOnline(retry)
  }, [failure, retry, retryWhenOnline])
  return { stream, renditions, failure, retry }
}
