import { useRef, type PointerEvent, type ReactNode } from 'react'
import styles from './swipe-cell.module.css'

/** The fraction of the action's width by which a swipe must move to open the action (seed, section 9). */
export const openThreshold = 0.15

/**
 * Returns whether the row is open after a swipe. Beyond the threshold, a swipe to the left opens a closed row, and a
 * swipe to the right closes an open row.
 * @param moved the movement in pixels, negative to the left, where the action is
 */
export function shouldStayOpen(wasOpen: boolean, moved: number, actionWidth: number): boolean {
  const share = moved / actionWidth
  return wasOpen ? share < openThreshold : share <= -openThreshold
}

/** A row with an action that a swipe to the left reveals. Keyboard focus also reveals it. */
export function SwipeCell({ action, children }: { action: ReactNode; children: ReactNode }) {
  const cell = useRef<HTMLDivElement>(null)
  const actionBox = useRef<HTMLDivElement>(null)
  const swipe = useRef<{ x: number; y: number; open: boolean; sideways: boolean } | null>(null)

  const shift = (px: number) => cell.current?.style.setProperty('--shift', `${px}px`)
  const isOpen = () => cell.current?.dataset.open === ''
  const snap = (open: boolean) => {
    if (!cell.current) return
    if (open) cell.current.dataset.open = ''
    else delete cell.current.dataset.open
    delete cell.current.dataset.swiping
    shift(open ? -width() : 0)
  }
  const width = () => actionBox.current?.offsetWidth ?? 0

  const begin = ({ clientX: x, clientY: y, pointerType }: PointerEvent) => {
    if (pointerType !== 'mouse') swipe.current = { x, y, open: isOpen(), sideways: false }
  }
  const move = ({ clientX, clientY, pointerId }: PointerEvent) => {
    const { current } = swipe
    if (!current) return
    const [dx, dy] = [clientX - current.x, clientY - current.y]
    if (!current.sideways) {
      if (Math.abs(dy) > Math.abs(dx) || Math.abs(dx) < 8) return
      current.sideways = true
      cell.current?.setPointerCapture(pointerId)
      if (cell.current) cell.current.dataset.swiping = ''
    }
    shift(Math.max(-width(), Math.min(0, dx - (current.open ? width() : 0))))
  }
  const end = ({ clientX }: PointerEvent) => {
    const { current } = swipe
    swipe.current = null
    if (current?.sideways) snap(shouldStayOpen(current.open, clientX - current.x, width()))
  }
  const cancel = () => {
    const { current } = swipe
    swipe.current = null
    if (current) snap(current.open)
  }

  return (
    <div
      ref={cell}
      className={styles.cell}
      onPointerDown={begin}
      onPointerMove={move}
      onPointerUp={end}
      onPointerCancel={cancel}
    >
      <div className={styles.content}>{children}</div>
      <div
        ref={actionBox}
        className={styles.action}
        onFocus={() => snap(true)}
        onBlur={(event) => event.currentTarget.contains(event.relatedTarget) || snap(false)}
      >
        {action}
      </div>
    </div>
  )
}
