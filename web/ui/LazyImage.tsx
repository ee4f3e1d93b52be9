import { useEffect, useRef, useState } from 'react'
import { createImageMemory, lazyImage, whenNear } from '#web/lib/lazy-images.ts'

const memory = createImageMemory()
const restMs = 500

interface LazyImageProps {
  src: string
  /** Loads at once, for the first screen. */
  eager?: boolean
  width: number
  height: number
}

/** A decorative picture that loads when it is near the viewport, and is retried if it fails. */
export function LazyImage({ src, eager = false, width, height }: LazyImageProps) {
  const image = useRef<HTMLImageElement>(null)
  const [due, setDue] = useState(eager || memory.has(src))
  const [attempt, setAttempt] = useState(1)
  useEffect(() => {
    if (!due && image.current) return whenNear(image.current, () => setDue(true))
    return undefined
  }, [due])
  // A moment later each time: what failed because of the network would fail at once again.
  const tryAgain = () => {
    if (attempt < lazyImage.attempts) setTimeout(setAttempt, attempt * restMs, attempt + 1)
  }
  return (
    <img
      // A picture that failed is fetched again by an element that never did.
      key={attempt}
      ref={image}
      src={due ? src : undefined}
      alt=""
      width={width}
      height={height}
      fetchPriority={eager ? 'high' : 'auto'}
      decoding="async"
      draggable={false}
      onLoad={() => memory.add(src)}
      onError={tryAgain}
    />
  )
}
