import { useLayoutEffect, useRef, useState } from 'react'

/** Returns a stable function that calls the latest `newest`. */
export function useLatest<Args extends unknown[]>(newest: (...args: Args) => void): (...args: Args) => void {
  const ref = useRef(newest)
  // A layout effect, because it must run before the effects of the slides that call it.
  useLayoutEffect(() => {
    ref.current = newest
  })
  return useState(
    () =>
      (...args: Args) =>
        ref.current(...args),
  )[0]
}
