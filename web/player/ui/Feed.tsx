import { useCallback, useEffect, useLayoutEffect, useRef, type ReactNode, type RefObject } from 'react'
import { play } from '#web/player/engine/play.ts'
import styles from './feed.module.css'

interface FeedProps {
  box: RefObject<HTMLDivElement | null>
  count: number
  index: number
  onIndex: (index: number) => void
  /** False where another slide was chosen since this one, and is being drawn: the feed waits for that. */
  isLatest: () => boolean
  /** Called for the slide on screen and its two neighbours; the others stand empty. */
  renderSlide: (index: number) => ReactNode
  label: string
}

/** A vertical feed with the browser's own scrolling: slides follow the finger and snap, one at a time. */
export function Feed({ box, count, index, onIndex, isLatest, renderSlide, label }: FeedProps) {
  /** The slide that the box shows, as far as its owner was told. */
  const reported = useRef<number>(undefined)
  /** The slides' height at the last look. Until they are scrolled for a new one, their place says nothing of what is shown. */
  const height = useRef(0)

  const mayLead = useRef(isLatest)
  useLayoutEffect(() => {
    mayLead.current = isLatest
  })
  // At once: a key asks for the next picture, not for the way there. A finger's swipe is the browser's own.
  useLayoutEffect(() => {
    // A step that is drawn after the next one was taken leads nobody back.
    if (!box.current || reported.current === index || !mayLead.current()) return
    reported.current = index
    height.current = box.current.clientHeight
    showSlide(box.current, index)
  }, [box, index])

  const keepShown = useCallback(() => {
    if (!box.current) return
    height.current = box.current.clientHeight
    if (reported.current !== undefined) showSlide(box.current, reported.current)
  }, [box])
  useEffect(() => {
    if (!box.current) return undefined
    const resized = new ResizeObserver(keepShown)
    resized.observe(box.current)
    // A window may get its old size back before anybody looks: the scrolling that this left behind is followed by nobody.
    addEventListener('resize', keepShown)
    return () => {
      resized.disconnect()
      removeEventListener('resize', keepShown)
    }
  }, [box, keepShown])

  const follow = () => {
    if (!box.current) return
    if (box.current.clientHeight !== height.current) return keepShown()
    const shown = Math.min(count - 1, Math.max(0, slideOf(box.current)))
    if (shown === reported.current) return
    reported.current = shown
    onIndex(shown)
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
