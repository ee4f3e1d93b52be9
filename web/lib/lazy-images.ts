/** Limits for images that load near the viewport (seed, section 9). */
export const lazyImageLimits = { attempts: 3, preloadFactor: 1.3, throttleMs: 200, cacheSize: 200 }

/**
 * Creates a cache of the last 200 loaded images. A cached image is shown at once, even if it is not near the viewport.
 */
export function createLoadedImageCache(maxSize = lazyImageLimits.cacheSize) {
  const loaded = new Set<string>()
  return {
    has: (src: string) => loaded.has(src),
    add(src: string) {
      loaded.delete(src)
      loaded.add(src)
      const [oldest] = loaded
      if (loaded.size > maxSize && oldest !== undefined) loaded.delete(oldest)
    },
  }
}

/** Returns a function that calls `run` at once, and on repeated calls at most once per `ms`. */
export function throttled(run: () => void, ms = lazyImageLimits.throttleMs): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  let requested = false
  const onTimer = () => {
    timer = undefined
    if (!requested) return
    requested = false
    runAndWait()
  }
  const runAndWait = () => {
    timer = setTimeout(onTimer, ms)
    run()
  }
  return () => {
    if (timer === undefined) runAndWait()
    else requested = true
  }
}

type OnNear = () => void

/**
 * Calls `onNear` when an element is in the viewport or close to it. "Close" means below or beside the viewport, by at
 * most 30 % of its height or width.
 * @returns a function that stops observing the element
 */
export function whenNear(element: Element, onNear: OnNear): () => void {
  callbacks.set(element, onNear)
  getObserver().observe(element)
  return () => unobserve(element)
}

const callbacks = new Map<Element, OnNear>()
const nearElements = new Set<Element>()
let observer: IntersectionObserver | undefined

function getObserver(): IntersectionObserver {
  const margin = `${Math.round((lazyImageLimits.preloadFactor - 1) * 100)}%`
  return (observer ??= new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries)
        nearElements[isIntersecting ? 'add' : 'delete'](target)
      runNearCallbacks()
    },
    { rootMargin: `0px ${margin} ${margin} ${margin}` },
  ))
}

const runNearCallbacks = throttled(() => {
  for (const element of nearElements) {
    callbacks.get(element)?.()
    unobserve(element)
  }
})

function unobserve(element: Element): void {
  observer?.unobserve(element)
  callbacks.delete(element)
  nearElements.delete(element)
}
