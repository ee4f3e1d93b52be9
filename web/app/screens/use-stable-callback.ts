import { useLayoutEffect, useRef, useState } from 'react'

/** Returns a function that never changes and calls the latest `callback`. */
export function useStableCallback<Args extends unknown[]>(
  callback: (...args: Args) => void,
): (...args: Args) => void {
  const ref = useRef(callback)
  // A layout effect, because the effects of the slides may already call the returned function.
  useLayoutEffect(() => {
    ref.current = callback
  })
  return useState(
    () =>
      (...args: Args) =>
        ref.current(...args),
  )[0]
}
