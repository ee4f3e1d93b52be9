import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { bcp47Tags } from '#contract/languages.ts'
import { getStudioPlayback } from '#contract/studio/videos.ts'
import { call } from '#web/lib/api.ts'
import { languageNames } from '#web/lib/language.ts'
import { takeStream } from '#web/player/engine/stream.ts'
import { captionTrack } from '#web/player/hooks/use-captions.ts'
import { LoadError } from '#web/ui/LoadError.tsx'
import styles from '#web/studio/content/content.module.css'

/** Plays an episode of a video in any state, with the browser's native controls. */
export function StudioPlayer({
  episodeId,
  name,
  onVideo,
}: {
  episodeId: string
  /** The player's accessible name. */
  name: string
  /** Called with the video element when it exists. */
  onVideo?: (video: HTMLVideoElement) => void
}) {
  const frame = useRef<HTMLDivElement>(null)
  const source = useQuery({
    queryKey: ['studio-playback', episodeId],
    queryFn: ({ signal }) => call(getStudioPlayback, { query: { id: episodeId }, signal }),
    // Never stale, because new signed URLs would restart the player. They are valid for longer than the episode.
    staleTime: Infinity,
    gcTime: 0,
  })
  const { data } = source
  useEffect(() => {
    if (!data) return undefined
    // Opened as inactive: an active stream may start in the native player and switch to hls.js later, while a frame is
    // being chosen.
    const stream = takeStream(data, 0, false)
    stream.video.controls = true
    // Without a poster while a frame is chosen, because the poster is not the frame that would be captured.
    if (!onVideo) stream.video.poster = data.poster_url
    // The browser's native controls turn captions on and off.
    for (const { lang, url } of data.captions)
      stream.video.append(captionTrack(url, bcp47Tags[lang], languageNames[lang]))
    stream.setActive(true)
    frame.current?.append(stream.video)
    onVideo?.(stream.video)
    return () => stream.close()
  }, [data, onVideo])
  useEffect(() => frame.current?.querySelector('video')?.setAttribute('aria-label', name), [data, name])
  if (source.isLoadingError) return <LoadError onRetry={() => void source.refetch()} />
  return <div ref={frame} className={styles.player} aria-busy={!data} />
}
