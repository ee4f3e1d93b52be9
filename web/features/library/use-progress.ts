import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo } from 'react'
import type { Video } from '#contract/catalog.ts'
import { progressSaver, type Place } from './progress-saver.ts'

/** Saves the viewer's position in a video on the server and in the page's cache of the video. */
export function useProgress(videoId: string) {
  const queryClient = useQueryClient()
  const saver = useMemo(() => progressSaver(), [])
  const places = useMemo(() => new Map<string, number>(), [])
  useEffect(() => {
    const keep = () => void saver.flush()
    const hide = () => document.visibilityState === 'hidden' && keep()
    document.addEventListener('visibilitychange', hide)
    addEventListener('pagehide', keep)
    return () => {
      document.removeEventListener('visibilitychange', hide)
      removeEventListener('pagehide', keep)
      void queryClient.invalidateQueries({ queryKey: ['video', videoId], refetchType: 'none' })
      // A list that is fetched before the last position was saved would show the one before.
      void saver.flush().then(() => queryClient.invalidateQueries({ queryKey: ['history'] }))
    }
  }, [saver, queryClient, videoId])
  return {
    at(place: Place) {
      places.set(place.episodeId, place.positionMs)
      saver.at(place)
    },
    flush: saver.flush,
    /** Returns where an episode starts: at its position in this visit, else the server's, else the beginning. */
    startOf(episodeId: string, durationMs: number | null, resume: Video['resume']): number {
      const left = places.get(episodeId) ?? (resume?.episode_id === episodeId ? resume.position_ms : 0)
      return durationMs !== null && left > durationMs - 3_000 ? 0 : left
    },
  }
}
