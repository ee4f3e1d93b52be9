import { useEffect, useRef, useState } from 'react'
import { createLoadedImageCache, lazyImageLimits, whenNear } from '#web/lib/lazy-images.ts'

const loadedImages = createLoadedImageCache()
const retryDelayMs = 500

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
  const [shouldLoad, setShouldLoad] = useState(eager || loadedImages.has(src))
  const [attempt, setAttempt] = useState(1)
  useEffect(() => {
    if (!shouldLoad && image.current) return whenNear(image.current, () => setShouldLoad(true))
    return undefined
  }, [shouldLoad])
  // Retries with a growing delay, because a network error would occur again at once.
  const retry = () => {
    if (attempt < lazyImageLimits.attempts) setTimeout(setAttempt, attempt * retryDelayMs, attempt + 1)
  }
  return (
    <img
      // A new element retries the failed image; the same one would not.
      key={attempt}
      ref={image}
      src={shouldLoad ? src : undefined}
      alt=""
      width={width}
      height={height}
      fetchPriority={eager ? 'high' : 'auto'}
      decoding="async"
      draggable={false}
      onLoad={() => loadedImages.add(src)}
      onError={retry}
    />
  )
}
