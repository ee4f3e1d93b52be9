import { useState } from 'react'

/**
 * The seconds that something still takes at the speed since it was first seen; undefined until `enough` of it was done since.
 * `done` and `open` are in one unit, as they stood at `at` (milliseconds).
 */
export function useSecondsLeft(
  { done, open, at }: { done: number; open: number; at: number },
  enough: number,
): number | undefined {
  const [first] = useState({ done, at })
  const since = done - first.done
  return since < enough ? undefined : Math.ceil((open * (at - first.at)) / since / 1000)
}
