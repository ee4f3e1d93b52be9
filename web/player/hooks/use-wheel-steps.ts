import { useEffect, useRef, type RefObject } from 'react'

/** Scroll distance of one step. A notch of a mouse wheel scrolls 100 px or more, an event of a touchpad only a few. */
const stepPx = 50
/**
 * After a swipe a touchpad keeps scrolling by momentum. The next step is therefore possible only after a pause of
 * `gestureGapMs`, or once `maxMomentumMs` have passed since the last step.
 */
const gestureGapMs = 120
const maxMomentumMs = 700

/**
 * Turns one notch of a mouse wheel, or one swipe on a touchpad, into one step. The browser's scroll snapping would
 * scroll back after a single notch.
 */
export function useWheelSteps(box: RefObject<HTMLElement | null>, step: (by: 1 | -1) => void): void {
  const latest = useRef(step)
  useEffect(() => {
    latest.current = step
  })
  useEffect(() => {
    const element = box.current
    if (!element) return undefined
    let scrolledPx = 0
    let steppedAt = -Infinity
    let steppedBy = 0
    let lastWheelAt = -Infinity
    const onWheel = (event: WheelEvent) => {
      if (event.ctrlKey || canScrollInside(element, event)) return
      event.preventDefault()
      const { timeStamp } = event
      const isNewGesture = timeStamp - lastWheelAt > gestureGapMs
      lastWheelAt = timeStamp
      const delta = event.deltaMode === WheelEvent.DOM_DELTA_PIXEL ? event.deltaY : event.deltaY * stepPx
      // Momentum never changes its direction, so a change of direction is a new gesture.
      const isReversal = Math.sign(delta) === -steppedBy
      if (isNewGesture) scrolledPx = 0
      else if (timeStamp - steppedAt < maxMomentumMs && !isReversal) return
      scrolledPx += delta
      if (Math.abs(scrolledPx) < stepPx) return
      steppedAt = timeStamp
      steppedBy = Math.sign(scrolledPx)
      latest.current(scrolledPx > 0 ? 1 : -1)
      scrolledPx = 0
    }
    element.addEventListener('wheel', onWheel, { passive: false })
    return () => element.removeEventListener('wheel', onWheel)
  }, [box])
}

/**
 * Returns whether an element between the pointer and the feed, such as a list of offers, can scroll further in this
 * direction.
 */
function canScrollInside(box: HTMLElement, { target, deltaY }: WheelEvent): boolean {
  let element = target instanceof Element ? target : null
  for (; element && element !== box; element = element.parentElement) {
    const { overflowY } = getComputedStyle(element)
    if (overflowY !== 'auto' && overflowY !== 'scroll') continue
    const remainingPx = element.scrollHeight - element.clientHeight - element.scrollTop
    if (deltaY > 0 ? remainingPx > 1 : element.scrollTop > 0) return true
  }
  return false
}
