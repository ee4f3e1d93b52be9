import { useCallback, useEffect, useLayoutEffect, useRef, type ReactNode, type RefObject } from 'react'
import { play } from '#web/player/engine/play.ts'
import styles from './feed.module.css'

interface FeedProps {
  box: RefObject<HTMLDivElement | null>
  count: number
  index: number
  onIndex: (index: number) => void
  /** Returns false if another slide was chosen after this one and is still being rendered; the feed then waits for it. */
  isLatest: () => boolean
  /** Called for the slide on screen and its two neighbours; the others are empty. */
  renderSlide: (index: number) => ReactNode
  label: string
}

/** Vertical feed with the browser's own scrolling: slides follow the finger and snap, one at a time. */
export function Feed({ box, count, index, onIndex, isLatest, renderSlide, label }: FeedProps) {
  /** The index last reported to the owner. */
  const reported = useRef<number>(undefined)
  /** The slides' height at the last check. After a resize the scroll position is invalid until it is corrected. */
  const height = useRef(0)

  const isLatestRef = useRef(isLatest)
  useLayoutEffect(() => {
    isLatestRef.current = isLatest
  })
  // Without animation: a key press jumps to the next slide; a swipe is scrolled by the browser.
  useLayoutEffect(() => {
    // A step that is rendered after the next one was taken must not scroll back.
    if (!box.current || reported.current === index || !isLatestRef.current()) return
    reported.current = index
    height.current = box.current.clientHeight
    showSlide(box.current, index)
  }, [box, index])

  const keepSlideInView = useCallback(() => {
    if (!box.current) return
    height.current = box.current.clientHeight
    if (reported.current !== undefined) showSlide(box.current, reported.current)
  }, [box])
  useEffect(() => {
    if (!box.current) return undefined
    const resizeObserver = new ResizeObserver(keepSlideInView)
    resizeObserver.observe(box.current)
    // The window may return to its old size before the next check; the scroll event that remains is ignored.
    addEventListener('resize', keepSlideInView)
    return () => {
      resizeObserver.disconnect()
      removeEventListener('resize', keepSlideInView)
    }
  }, [box, keepSlideInView])

  const onScroll = () => {
    if (!box.current) return
    if (box.current.clientHeight !== height.current) return keepSlideInView()
    const shown = Math.min(count - 1, Math.max(0, slideIndexOf(box.current)))
    if (shown === reported.current) return
    reported.current = shown
    onIndex(shown)
  }

  return (
    <div ref={box} className={styles.feed} onScroll={onScroll} tabIndex={0} aria-label={label} role="region">
      {Array.from({ length: count }, (_, i) => (
        <div key={i} className={styles.slide} inert={i !== index}>
          {Math.abs(i - index) <= 1 && renderSlide(i)}
        </div>
      ))}
    </div>
  )
}

/** Scrolls to the slide below (1) or above (-1) and plays its video without rendering; `onIndex` follows with the scroll event. */
export function stepFeed(feed: HTMLElement | null, by: 1 | -1): void {
  if (!feed) return
  const targetIndex = slideIndexOf(feed) + by
  const slide = feed.children[targetIndex]
  if (!slide) return
  showSlide(feed, targetIndex)
  for (const video of feed.querySelectorAll('video')) {
    if (slide.contains(video)) void play(video)
    else video.pause()
  }
}

function showSlide(feed: HTMLElement, index: number): void {
  feed.scrollTo({ top: index * feed.clientHeight, behavior: 'instant' })
}

function slideIndexOf(feed: HTMLElement): number {
  return Math.round(feed.scrollTop / feed.clientHeight)
}
