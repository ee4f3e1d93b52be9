import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo } from 'react'
import type { Video } from '#contract/catalog.ts'
import { progressSaver, type Place } from './progress-saver.ts'

/** Keeps the viewer's place in a video on the server, and in the page's own record of the video. */
export function useProgress(videoId: string) {
  const queryClient = useQueryClient()
  const saver = useMemo(() => progressSaver(), [])
  const places = useMemo(() => new Map<string, number>(), [])
  useEffect(() => {
    const hide = () => document.visibilityState === 'hidden' && saver.flush(true)
    const leave = () => saver.flush(true)
    document.addEventListener('visibilitychange', hide)
    addEventListener('pagehide', leave)
    return () => {
      document.removeEventListener('visibilitychange', hide)
      removeEventListener('pagehide', leave)
      saver.flush(true)
      void queryClient.invalidateQueries({ queryKey: ['history'] })
      void queryClient.invalidateQueries({ queryKey: ['video', videoId], refetchType: 'none' })
    }
  }, [saver, queryClient, videoId])
  return {
    at(place: Place) {
      places.set(place.episodeId, place.positionMs)
      saver.at(place)
    },
    flush: saver.flush,
    /** Where an episode starts: where it was left in this visit, else where the server says, else at its beginning. */
    startOf(episodeId: string, durationMs: number | null, resume: Video['resume']): number {
      const left = places.get(episodeId) ?? (resume?.episode_id === episodeId ? resume.position_ms : 0)
      return durationMs !== null && left > durationMs - 3_000 ? 0 : left
    },
  }
}
