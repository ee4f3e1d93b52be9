import { useEffect, useRef, useState, type PointerEvent as ReactPointerEvent, type RefObject } from 'react'

/** A drag of an item: its original position, and the position at which it would be dropped. */
export interface Drag {
  from: number
  to: number
}

/**
 * Drags items of a list with a mouse, a finger or a pen; the browser's own drag and drop does not support touch. The
 * page scrolls while the pointer is near an edge of the window. Escape cancels the drag.
 */
export function useDrag(
  list: RefObject<HTMLElement | null>,
  onDrop: (drag: Drag) => void,
): { drag: Drag | null; startDrag: (event: ReactPointerEvent, from: number) => void } {
  const [drag, setDrag] = useState<Drag | null>(null)
  const end = useRef<AbortController>(undefined)
  const drop = useRef(onDrop)
  useEffect(() => {
    drop.current = onDrop
  })
  useEffect(() => () => end.current?.abort(), [])
  const startDrag = ({ button, isPrimary }: ReactPointerEvent, from: number) => {
    const item = list.current?.children[from]
    if (button !== 0 || !isPrimary || !item) return
    end.current?.abort()
    const ended = (end.current = new AbortController())
    const { signal } = ended
    const places = { from, to: from }
    let y: number | undefined
    // Recomputed on each move, because items may be added or removed during a drag.
    const updateTarget = () => {
      places.from = [...(item.parentElement?.children ?? [])].indexOf(item)
      places.to = y === undefined ? places.from : indexAt(y, item)
      const { from, to } = places
      // Keeps the state while the target is the same, because each new state renders all items.
      setDrag((drag) => (drag?.from === from && drag.to === to ? drag : { from, to }))
    }
    const stop = () => {
      ended.abort()
      setDrag(null)
    }
    const onPointerMove = (event: PointerEvent) => {
      if (!event.isPrimary) return
      // The pointer was released outside the page, such as over a system menu, so there was no `pointerup` event.
      if (event.buttons === 0) return stop()
      y = event.clientY
      updateTarget()
    }
    const onPointerUp = (event: PointerEvent) => {
      if (!event.isPrimary) return
      updateTarget()
      stop()
      if (places.to !== places.from) drop.current(places)
    }
    const cancelDrag = ({ key }: KeyboardEvent) => key === 'Escape' && stop()
    addEventListener('pointermove', onPointerMove, { signal })
    addEventListener('pointerup', onPointerUp, { signal })
    addEventListener('pointercancel', stop, { signal })
    addEventListener('keydown', cancelDrag, { signal })
    addEventListener('scroll', updateTarget, { signal, capture: true })
    scrollNearEdges(() => y, signal)
    updateTarget()
  }
  return { drag, startDrag }
}

/** Returns the position among its siblings that an item would have if it were dropped at this height of the window. */
function indexAt(y: number, item: Element): number {
  const others = [...(item.parentElement?.children ?? [])].filter((each) => each !== item)
  return others
    .map((each) => each.getBoundingClientRect())
    .filter(({ top, bottom }) => (top + bottom) / 2 < y).length
}

/** The page scrolls while the pointer is within this distance from an edge of the window, in px. */
const edge = 120
/** Scrolls the page while the pointer is near an edge of the window; the nearer, the faster. */
function scrollNearEdges(height: () => number | undefined, signal: AbortSignal): void {
  const scroll = () => {
    if (signal.aborted) return
    const y = height() ?? innerHeight / 2
    scrollBy({
      top: Math.min(0, y - edge) / 5 + Math.max(0, y - innerHeight + edge) / 5,
      behavior: 'instant',
    })
    requestAnimationFrame(scroll)
  }
  requestAnimationFrame(scroll)
}
