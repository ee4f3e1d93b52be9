import { useLayoutEffect, useRef, useState } from 'react'

/** A stable function that calls the newest one. */
export function useLatest<Args extends unknown[]>(newest: (...args: Args) => void): (...args: Args) => void {
  const ref = useRef(newest)
  // Before any slide's effects, which call it.
  useLayoutEffect(() => {
    ref.current = newest
  })
  return useState(
    () =>
      (...args: Args) =>
        ref.current(...args),
  )[0]
}
