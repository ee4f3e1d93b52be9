import { useEffect, useLayoutEffect, useRef, type ReactNode } from 'react'
import styles from './feed.module.css'

interface FeedProps {
  count: number
  index: number
  onIndex: (index: number) => void
  /** Called for the slide on screen and its two neighbours; the others stand empty. */
  renderSlide: (index: number) => ReactNode
  label: string
}

/** A vertical feed with the browser's own scrolling: slides follow the finger and snap, one at a time. */
export function Feed({ count, index, onIndex, renderSlide, label }: FeedProps) {
  const box = useRef<HTMLDivElement>(null)
  // Where a scroll of our own is heading: until it is there, positions on the way are nobody's choice.
  const heading = useRef<number | null>(null)
  const placed = useRef(false)

  useLayoutEffect(() => {
    const element = box.current
    if (!element) return
    const top = index * element.clientHeight
    const jump = !placed.current || isStill()
    placed.current = true
    const distance = Math.abs(element.scrollTop - top)
    if (distance < element.clientHeight / 2) return
    heading.current = index
    element.scrollTo({ top, behavior: jump || distance > element.clientHeight * 1.5 ? 'instant' : 'smooth' })
  }, [index])

  useEffect(() => {
    const element = box.current
    if (!element) return
    const arrive = () => (heading.current = null)
    element.addEventListener('scrollend', arrive)
    element.addEventListener('pointerdown', arrive)
    element.addEventListener('wheel', arrive, { passive: true })
    return () => {
      element.removeEventListener('scrollend', arrive)
      element.removeEventListener('pointerdown', arrive)
      element.removeEventListener('wheel', arrive)
    }
  }, [])

  const follow = () => {
    const element = box.current
    if (!element) return
    const shown = Math.min(count - 1, Math.max(0, Math.round(element.scrollTop / element.clientHeight)))
    if (heading.current !== null) {
      if (Math.abs(element.scrollTop - heading.current * element.clientHeight) < 2) heading.current = null
    } else if (shown !== index) onIndex(shown)
  }

  return (
    <div ref={box} className={styles.feed} onScroll={follow} tabIndex={-1} aria-label={label} role="region">
      {Array.from({ length: count }, (_, i) => (
        <div key={i} className={styles.slide} inert={i !== index}>
          {Math.abs(i - index) <= 1 && renderSlide(i)}
        </div>
      ))}
    </div>
  )
}

const isStill = () => matchMedia('(prefers-reduced-motion: reduce)').matches
