import { useEffect, useRef, useState } from 'react'
import { createLoadedImageCache, lazyImageLimits, whenNear } from '#web/lib/lazy-images.ts'

const loadedImages = createLoadedImageCache()
const retryDelayMs = 500

interface LazyImageProps {
  src: string
  /** Loads the image at once, for images on the first screen. */
  eager?: boolean
  width: number
  height: number
}

/** A decorative image that loads when it is near the viewport. A failed load is retried. */
export function LazyImage({ src, eager = false, width, height }: LazyImageProps) {
  const image = useRef<HTMLImageElement>(null)
  const [shouldLoad, setShouldLoad] = useState(eager || loadedImages.has(src))
  const [attempt, setAttempt] = useState(1)
  useEffect(() => {
    if (!shouldLoad && image.current) return whenNear(image.current, () => setShouldLoad(true))
    return undefined
  }, [shouldLoad])
  // The delay grows with each attempt, because a network error would occur again at once.
  const retry = () => {
    if (attempt < lazyImageLimits.attempts) setTimeout(setAttempt, attempt * retryDelayMs, attempt + 1)
  }
  return (
    <img
      // A new key creates a new element, because the same element would not load the image again.
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
