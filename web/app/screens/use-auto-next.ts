import { useLatest } from './use-latest.ts'

/** Starts the next episode when the one on screen ends; ignores one that ends after the viewer has swiped on. */
export function useAutoNext(shownId: string | undefined, playNext: () => void): (endedId: string) => void {
  return useLatest((endedId: string) => {
    if (endedId === shownId) playNext()
  })
}
