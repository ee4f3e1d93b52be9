import { useEffect, useRef, type PointerEvent } from 'react'

const holdMs = 350
const moveTolerancePx = 10
const doubleTapMs = 280

/**
 * Handles tap, double tap and hold on the video. The first tap of a double tap is also reported as a tap, without
 * waiting for the second. A swipe counts as no gesture here: scrolling cancels the pointer, and any movement by more
 * than `moveTolerancePx` ends the press.
 */
export function useGestures({
  onTap,
  onDoubleTap,
  onHold,
  onRelease,
}: {
  onTap: () => void
  onDoubleTap: () => void
  onHold: () => void
  onRelease: () => void
}) {
  const press = useRef<{ x: number; y: number; timer: ReturnType<typeof setTimeout>; held: boolean } | null>(
    null,
  )
  const tappedAt = useRef(-Infinity)
  // `at` is the event's own timestamp, so that a busy main thread does not split a double tap.
  const tap = (at: number) => {
    const isDoubleTap = at - tappedAt.current < doubleTapMs
    tappedAt.current = isDoubleTap ? -Infinity : at
    if (isDoubleTap) onDoubleTap()
    else onTap()
  }
  const endPress = (at?: number) => {
    const current = press.current
    press.current = null
    if (!current) return
    clearTimeout(current.timer)
    if (current.held) onRelease()
    else if (at !== undefined) tap(at)
  }
  useEffect(() => () => clearTimeout(press.current?.timer), [])
  return {
    onPointerDown(event: PointerEvent) {
      if (event.button !== 0) return
      // A second finger ends the press of the first.
      endPress()
      if (!event.isPrimary) return
      const start = { x: event.clientX, y: event.clientY, held: false, timer: setTimeout(hold, holdMs) }
      function hold() {
        start.held = true
        onHold()
      }
      press.current = start
    },
    onPointerMove({ clientX, clientY }: PointerEvent) {
      const start = press.current
      if (start && !start.held && Math.hypot(clientX - start.x, clientY - start.y) > moveTolerancePx)
        endPress()
    },
    onPointerUp: ({ timeStamp }: PointerEvent) => endPress(timeStamp),
    onPointerCancel: () => endPress(),
    onPointerLeave: () => endPress(),
    onContextMenu: (event: { preventDefault(): void }) => event.preventDefault(),
  }
}
