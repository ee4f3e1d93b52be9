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

/** A decorative image that loads near the viewport and is retried if it fails. */
export function LazyImage({ src, eager = false, width, height }: LazyImageProps) {
  const image = useRef<HTMLImageElement>(null)
  const [due, setDue] = useState(eager || memory.has(src))
  const [attempt, setAttempt] = useState(1)
  useEffect(() => {
    if (!due && image.current) return whenNear(image.current, () => setDue(true))
    return undefined
  }, [due])
  // Retries with a growing delay, because a network error would occur again at once.
  const tryAgain = () => {
    if (attempt < lazyImage.attempts) setTimeout(setAttempt, attempt * restMs, attempt + 1)
  }
  return (
    <img
      // A new element retries the failed image; the same one would not.
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
