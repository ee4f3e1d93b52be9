import { useStableCallback } from './use-stable-callback.ts'

/** Starts the next episode when the one on screen ends; ignores one that ends after the viewer has swiped on. */
export function useAutoNext(shownId: string | undefined, playNext: () => void): (endedId: string) => void {
  return useStableCallback((endedId: string) => {
    if (endedId === shownId) playNext()
  })
}
