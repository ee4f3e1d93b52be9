import { useRef, type PointerEvent } from 'react'

const holdMs = 350
const slackPx = 10

/** Tap and hold on the picture. A scroll that begins takes the pointer away, so a swipe is neither. */
export function useGestures({
  onTap,
  onHold,
  onRelease,
}: {
  onTap: (pointer: string) => void
  onHold: () => void
  onRelease: () => void
}) {
  const press = useRef<{ x: number; y: number; timer: ReturnType<typeof setTimeout>; held: boolean } | null>(
    null,
  )
  const end = (tapped: string | null) => {
    const current = press.current
    press.current = null
    if (!current) return
    clearTimeout(current.timer)
    if (current.held) onRelease()
    else if (tapped) onTap(tapped)
  }
  return {
    onPointerDown(event: PointerEvent) {
      if (event.button !== 0) return
      const start = { x: event.clientX, y: event.clientY, held: false, timer: setTimeout(hold, holdMs) }
      function hold() {
        start.held = true
        onHold()
      }
      press.current = start
    },
    onPointerMove({ clientX, clientY }: PointerEvent) {
      const start = press.current
      if (start && !start.held && Math.hypot(clientX - start.x, clientY - start.y) > slackPx) end(null)
    },
    onPointerUp: (event: PointerEvent) => end(event.pointerType),
    onPointerCancel: () => end(null),
    onPointerLeave: () => end(null),
    onContextMenu: (event: { preventDefault(): void }) => event.preventDefault(),
  }
}
