import { useLayoutEffect, useRef, type ReactNode } from 'react'
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

  // At once: a key asks for the next picture, not for the way there. A finger's swipe is the browser's own.
  useLayoutEffect(() => {
    const element = box.current
    if (!element) return
    const top = index * element.clientHeight
    if (Math.abs(element.scrollTop - top) >= element.clientHeight / 2)
      element.scrollTo({ top, behavior: 'instant' })
  }, [index])

  const follow = () => {
    const element = box.current
    if (!element) return
    const shown = Math.min(count - 1, Math.max(0, Math.round(element.scrollTop / element.clientHeight)))
    if (shown !== index) onIndex(shown)
  }

  return (
    <div ref={box} className={styles.feed} onScroll={follow} tabIndex={0} aria-label={label} role="region">
      {Array.from({ length: count }, (_, i) => (
        <div key={i} className={styles.slide} inert={i !== index}>
          {Math.abs(i - index) <= 1 && renderSlide(i)}
        </div>
      ))}
    </div>
  )
}
