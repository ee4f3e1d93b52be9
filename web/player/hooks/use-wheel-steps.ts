import { useEffect, useRef, type RefObject } from 'react'

/** Scroll distance of one step. A notch of a wheel is 100 px or more, a touchpad event a few. */
const stepPx = 50
/** A touchpad keeps scrolling by momentum: no second step follows until the wheel has rested, or until `longestMs`. */
const restMs = 120
const longestMs = 700

/** Turns one notch of a wheel, or one swipe on a touchpad, into one step; the browser's own snapping would scroll back. */
export function useWheelSteps(box: RefObject<HTMLElement | null>, step: (by: 1 | -1) => void): void {
  const latest = useRef(step)
  useEffect(() => {
    latest.current = step
  })
  useEffect(() => {
    const element = box.current
    if (!element) return undefined
    let turned = 0
    let steppedAt = -Infinity
    let steppedBy = 0
    let turnedAt = -Infinity
    const turn = (event: WheelEvent) => {
      if (event.ctrlKey || scrollsInside(element, event)) return
      event.preventDefault()
      const { timeStamp } = event
      const hasRested = timeStamp - turnedAt > restMs
      turnedAt = timeStamp
      const delta = event.deltaMode === WheelEvent.DOM_DELTA_PIXEL ? event.deltaY : event.deltaY * stepPx
      // Momentum never reverses, so a reversal is a new gesture.
      const turnsRound = Math.sign(delta) === -steppedBy
      if (hasRested) turned = 0
      else if (timeStamp - steppedAt < longestMs && !turnsRound) return
      turned += delta
      if (Math.abs(turned) < stepPx) return
      steppedAt = timeStamp
      steppedBy = Math.sign(turned)
      latest.current(turned > 0 ? 1 : -1)
      turned = 0
    }
    element.addEventListener('wheel', turn, { passive: false })
    return () => element.removeEventListener('wheel', turn)
  }, [box])
}

/** Returns whether an element inside, such as a list of offers, can scroll further in this direction. */
function scrollsInside(box: HTMLElement, { target, deltaY }: WheelEvent): boolean {
  let element = target instanceof Element ? target : null
  for (; element && element !== box; element = element.parentElement) {
    const { overflowY } = getComputedStyle(element)
    if (overflowY !== 'auto' && overflowY !== 'scroll') continue
    const left = element.scrollHeight - element.clientHeight - element.scrollTop
    if (deltaY > 0 ? left > 1 : element.scrollTop > 0) return true
  }
  return false
}
