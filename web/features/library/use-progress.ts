import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo } from 'react'
import type { Video } from '#contract/catalog.ts'
import { createProgressSaver, type WatchPosition } from './progress-saver.ts'

/** Saves the viewer's position in a video, on the server and for this page. */
export function useProgress(videoId: string) {
  const queryClient = useQueryClient()
  const saver = useMemo(() => createProgressSaver(), [])
  const positions = useMemo(() => new Map<string, number>(), [])
  useEffect(() => {
    const save = () => void saver.flush()
    const saveIfHidden = () => document.visibilityState === 'hidden' && save()
    document.addEventListener('visibilitychange', saveIfHidden)
    addEventListener('pagehide', save)
    return () => {
      document.removeEventListener('visibilitychange', saveIfHidden)
      removeEventListener('pagehide', save)
      void queryClient.invalidateQueries({ queryKey: ['video', videoId], refetchType: 'none' })
      // Refetched only after the last position is saved. Otherwise the list could show an older position.
      void saver.flush().then(() => queryClient.invalidateQueries({ queryKey: ['history'] }))
    }
  }, [saver, queryClient, videoId])
  return {
    report(position: WatchPosition) {
      positions.set(position.episodeId, position.positionMs)
      saver.report(position)
    },
    flush: saver.flush,
    /**
     * Returns the position in ms at which an episode starts: its last position during this visit, else the server's
     * position, else 0. A position in the last 3 seconds counts as the end, so the episode then starts at 0.
     */
    startPositionOf(episodeId: string, durationMs: number | null, resume: Video['resume']): number {
      const resumeMs = positions.get(episodeId) ?? (resume?.episode_id === episodeId ? resume.position_ms : 0)
      return durationMs !== null && resumeMs > durationMs - 3_000 ? 0 : resumeMs
    },
  }
}
