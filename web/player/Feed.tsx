import { useLayoutEffect, type ReactNode, type RefObject } from 'react'
import { play } from './play.ts'
import styles from './feed.module.css'

interface FeedProps {
  box: RefObject<HTMLDivElement | null>
  count: number
  index: number
  onIndex: (index: number) => void
  /** Called for the slide on screen and its two neighbours; the others stand empty. */
  renderSlide: (index: number) => ReactNode
  label: string
}

/** A vertical feed with the browser's own scrolling: slides follow the finger and snap, one at a time. */
export function Feed({ box, count, index, onIndex, renderSlide, label }: FeedProps) {
  // At once: a key asks for the next picture, not for the way there. A finger's swipe is the browser's own.
  useLayoutEffect(() => {
    const element = box.current
    if (!element) return
    const { scrollTop, clientHeight } = element
    if (Math.abs(scrollTop - index * clientHeight) >= clientHeight / 2) showSlide(element, index)
  }, [box, index])

  const follow = () => {
    const element = box.current
    if (!element) return
    const shown = Math.min(count - 1, Math.max(0, slideOf(element)))
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

/**
 * Shows the slide below (1) or above (-1) and lets its video play, with nothing drawn anew in between: `onIndex` follows with
 * the scroll event.
 */
export function stepFeed(feed: HTMLElement | null, by: 1 | -1): void {
  if (!feed) return
  const to = slideOf(feed) + by
  const slide = feed.children[to]
  if (!slide) return
  showSlide(feed, to)
  for (const video of feed.querySelectorAll('video')) {
    if (slide.contains(video)) void play(video)
    else video.pause()
  }
}

function showSlide(feed: HTMLElement, index: number): void {
  feed.scrollTo({ top: index * feed.clientHeight, behavior: 'instant' })
}

function slideOf(feed: HTMLElement): number {
  return Math.round(feed.scrollTop / feed.clientHeight)
}
