import { useLayoutEffect, useRef, useState } from 'react'

/** Returns a function that never changes and calls the latest `callback`. */
export function useStableCallback<Args extends unknown[]>(
  callback: (...args: Args) => void,
): (...args: Args) => void {
  const ref = useRef(callback)
  // A layout effect, because it must run before the effects of the slides, which may call it.
  useLayoutEffect(() => {
    ref.current = callback
  })
  return useState(
    () =>
      (...args: Args) =>
        ref.current(...args),
  )[0]
}
