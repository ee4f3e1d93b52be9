import { useLayoutEffect, useRef } from 'react'

/**
 * Keeps an element under the finger. If a change of `state` moves the element, the list around it is scrolled by the
 * same distance.
 * @returns a function to be called with the element before the change
 */
export function useScrollAnchor(state: unknown): (element: HTMLElement) => void {
  const anchor = useRef<{ element: HTMLElement; top: number }>(null)
  useLayoutEffect(() => {
    if (!anchor.current) return
    const { element, top } = anchor.current
    anchor.current = null
    const moved = element.getBoundingClientRect().top - top
    let scroller = element.parentElement
    while (scroller && !['auto', 'scroll'].includes(getComputedStyle(scroller).overflowY))
      scroller = scroller.parentElement
    if (scroller && moved !== 0) scroller.scrollTop += moved
  }, [state])
  return (element) => {
    anchor.current = { element, top: element.getBoundingClientRect().top }
  }
}
