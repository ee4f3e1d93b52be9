import { useQuery } from '@tanstack/react-query'
import { useCallback, useEffect, useRef, useState } from 'react'
import type { ResultOf } from '#contract/endpoint.ts'
import { bcp47Tags } from '#contract/languages.ts'
import { getStudioPlayback } from '#contract/studio/videos.ts'
import { call } from '#web/lib/api.ts'
import { languageNames } from '#web/lib/language.ts'
import { captionTrack } from '#web/player/hooks/use-captions.ts'
import { useStream } from '#web/player/hooks/use-stream.ts'
import { LoadError } from '#web/ui/LoadError.tsx'
import styles from '#web/studio/content/content.module.css'

interface StudioPlayerProps {
  episodeId: string
  /** The player's accessible name. */
  name: string
  /** Called with the video element when it exists. */
  onVideo?: (video: HTMLVideoElement) => void
}

/** Plays an episode of a video in any state, with the browser's native controls. */
export function StudioPlayer({ episodeId, ...player }: StudioPlayerProps) {
  const source = useQuery({
    queryKey: ['studio-playback', episodeId],
    queryFn: ({ signal }) => call(getStudioPlayback, { query: { id: episodeId }, signal }),
    // The player asks for new signed URLs when they are about to expire.
    staleTime: Infinity,
    gcTime: 0,
  })
  const { data, refetch } = source
  const renew = useCallback(() => void refetch({ cancelRefetch: false }), [refetch])
  if (source.isLoadingError) return <LoadError onRetry={renew} />
  if (!data) return <div className={styles.player} aria-busy="true" />
  return <OpenPlayer key={episodeId} source={data} onExpiring={renew} {...player} />
}

/** The player of a source. A refetched source continues at the same position. */
function OpenPlayer({
  source,
  name,
  onVideo,
  onExpiring,
}: Omit<StudioPlayerProps, 'episodeId'> & {
  source: ResultOf<typeof getStudioPlayback>
  onExpiring: () => void
}) {
  const frame = useRef<HTMLDivElement>(null)
  // Opened as inactive: an active stream may start in the native player and switch to hls.js later, while a frame is
  // being chosen.
  const [active, setActive] = useState(false)
  useEffect(() => setActive(true), [])
  const { stream, failure, retry } = useStream(source, 0, active, onExpiring)
  const video = stream?.video
  const { captions, poster_url: poster } = source
  useEffect(() => {
    if (!video) return
    video.controls = true
    frame.current?.append(video)
    onVideo?.(video)
  }, [video, onVideo])
  useEffect(() => {
    if (!video) return
    // While a frame is chosen, there is no poster, because the poster is not the frame that would be captured.
    if (!onVideo && !video.poster) video.poster = poster
    // The browser's native controls turn captions on and off. A caption file that is not loaded yet
    // gets the new URL.
    for (const { lang, url } of captions) {
      const shown = [...video.querySelectorAll('track')].find(({ srclang }) => srclang === bcp47Tags[lang])
      if (!shown) video.append(captionTrack(url, bcp47Tags[lang], languageNames[lang]))
      else if (shown.readyState === HTMLTrackElement.NONE) shown.src = url
    }
  }, [video, onVideo, captions, poster])
  useEffect(() => video?.setAttribute('aria-label', name), [video, name])
  return (
    <>
      <div ref={frame} className={styles.player} />
      {failure && <LoadError onRetry={retry} />}
    </>
  )
}
