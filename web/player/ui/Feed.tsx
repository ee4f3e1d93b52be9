import { useCallback, useEffect, useLayoutEffect, useRef, type ReactNode, type RefObject } from 'react'
import { play } from '#web/player/engine/play.ts'
import styles from './feed.module.css'

interface FeedProps {
  box: RefObject<HTMLDivElement | null>
  count: number
  index: number
  onIndex: (index: number) => void
  /**
   * Returns false if the viewer has already chosen another slide that is not rendered yet. The feed then does not
   * scroll to `index`.
   */
  isLatest: () => boolean
  /** Called for the slide on screen and its two neighbours; all other slides are empty. */
  renderSlide: (index: number) => ReactNode
  label: string
}

/** A vertical feed that scrolls natively: slides follow the finger and snap, one at a time. */
export function Feed({ box, count, index, onIndex, isLatest, renderSlide, label }: FeedProps) {
  /** The index that was last reported with `onIndex` or received as `index`. */
  const reported = useRef<number>(undefined)
  /** The height of the slides at the last check. After a resize, the scroll position is wrong until it is corrected. */
  const height = useRef(0)

  const isLatestRef = useRef(isLatest)
  useLayoutEffect(() => {
    isLatestRef.current = isLatest
  })
  // Jumps without animation to a slide that the parent chose: the first slide, a slide from the episode list, or the
  // next slide after an episode has ended. After a swipe or `stepFeed`, the feed has already scrolled.
  useLayoutEffect(() => {
    // Does not scroll back if the viewer moved on before this index was rendered.
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
    // A ResizeObserver misses a change if the window returns to its old size before the observer's next check.
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

/**
 * Scrolls to the slide below (1) or above (-1) and plays its video before React renders. The scroll event then calls
 * `onIndex`.
 */
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
