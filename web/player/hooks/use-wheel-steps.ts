import { useEffect, useRef, type RefObject } from 'react'

/** So much turning of a wheel asks for a step. A notch is 100 px or more, a touch of a touchpad a few. */
const stepPx = 50
/** A touchpad keeps scrolling by momentum: until the wheel has rested, or this long, it causes no second step. */
const restMs = 120
const longestMs = 700

/** One notch of a wheel, or one swipe on a touchpad, is one step; the browser's own snapping would lead back from it. */
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
      // Momentum never turns round: that is a hand's.
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

/** Whether something inside, such as a list of offers, has further to scroll in this direction. */
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
