import { useStableCallback } from './use-stable-callback.ts'

/**
 * Auto-next: starts the next episode when the episode on screen ends. Ignores the end of an episode that the viewer has
 * already swiped away.
 */
export function useAutoNext(shownId: string | undefined, playNext: () => void): (endedId: string) => void {
  return useStableCallback((endedId: string) => {
    if (endedId === shownId) playNext()
  })
}
