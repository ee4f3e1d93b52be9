import { useCallback, useEffect, useLayoutEffect, useState } from 'react'
import { usePreferences } from './use-preferences.ts'
import { useBackground, whenVisible } from './use-background.ts'
import type { Source, Trouble } from '#web/player/engine/player.ts'
import { takeStream, type Stream } from '#web/player/engine/stream.ts'
import { createOnlineRetry } from '#web/player/engine/retry-when-online.ts'

/** How long before its end a link is renewed. */
const renewBeforeMs = 60_000
const soonestMs = 3_000

/** Why nothing plays, where asking for another link is no help. */
type Failure = Exclude<Trouble, 'expired'>

/**
 * Opens the stream of a source and keeps it going until it is unmounted: a fresh link (`source` changes) carries on at
 * the same second. `onExpiring` asks for that fresh link, shortly before the end of the old one or when it is refused.
 */
export function useStream(source: Source, startMs: number, active: boolean, onExpiring: () => void) {
  const [stream, setStream] = useState<Stream | null>(null)
  const [failure, setFailure] = useState<Failure | null>(null)
  const [renditions, setRenditions] = useState<number[]>([])
  const { quality } = usePreferences()
  const [retryWhenOnline] = useState(createOnlineRetry)

  // Before anything is painted: the picture is what was come for.
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
      onTrouble: (trouble) => (trouble === 'expired' ? onExpiring() : setFailure(trouble)),
    })
  }, [stream, onExpiring])

  const [opened] = useState(source.hls_url)
  useEffect(() => {
    if (source.hls_url !== opened) stream?.renew(source)
    // A new link is the event; the stream is the same one throughout.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [source.hls_url])

  useEffect(() => {
    const inMs = Math.max(soonestMs, Date.parse(source.expires_at) - Date.now() - renewBeforeMs)
    // A fresh link that looks old comes of a clock that is wrong: its server says when it has ended.
    if (inMs === soonestMs && source.hls_url !== opened) return
    let end = () => {}
    const timer = setTimeout(() => (end = whenVisible(onExpiring)), inMs)
    return () => {
      clearTimeout(timer)
      end()
    }
  }, [source, opened, onExpiring])

  useEffect(() => stream?.setActive(active), [stream, active])
  useBackground(stream, active)
  useEffect(() => stream?.choose(quality), [stream, quality])

  const retry = useCallback(() => {
    setFailure(null)
    stream?.retry()
  }, [stream])
  useEffect(() => {
    // What failed while it waited may be well again.
    if (active && failure === 'broken') retry()
    // Only when it comes on screen: what fails there is told.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [active])
  useEffect(() => {
    // The network that is back may be what was missing.
    if (failure === 'broken') return retryWhenOnline(retry)
  }, [failure, retry, retryWhenOnline])
  return { stream, renditions, failure, retry }
}
