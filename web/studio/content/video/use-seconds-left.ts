import { useState } from 'react'

/**
 * Estimates the remaining seconds from the progress since the first render; undefined until at least `minimum` was done
 * since then. `done` and `open` have the same unit and are the state at the time `at` (milliseconds).
 */
export function useSecondsLeft(
  { done, open, at }: { done: number; open: number; at: number },
  minimum: number,
): number | undefined {
  const [first] = useState({ done, at })
  const since = done - first.done
  return since < minimum ? undefined : Math.ceil((open * (at - first.at)) / since / 1000)
}
