import { useLayoutEffect, useRef, useState } from 'react'

/** Returns a stable function that calls the latest `callback`. */
export function useStableCallback<Args extends unknown[]>(
  callback: (...args: Args) => void,
): (...args: Args) => void {
  const ref = useRef(callback)
  // A layout effect, because it must run before the effects of the slides that call it.
  useLayoutEffect(() => {
    ref.current = callback
  })
  return useState(
    () =>
      (...args: Args) =>
        ref.current(...args),
  )[0]
}
