import { useState } from 'react'

/**
 * Returns the remaining seconds at the speed since the first measurement; undefined until `minimum` was done since then. `done` and
 * `open` are in the same unit, as of `at` (milliseconds).
 */
export function useSecondsLeft(
  { done, open, at }: { done: number; open: number; at: number },
  minimum: number,
): number | undefined {
  const [first] = useState({ done, at })
  const since = done - first.done
  return since < minimum ? undefined : Math.ceil((open * (at - first.at)) / since / 1000)
}
