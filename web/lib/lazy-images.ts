/** Limits for images that load near the viewport (seed, section 9). */
export const lazyImage = { attempts: 3, preloadFactor: 1.3, throttleMs: 200, cache: 200 }

/** Remembers the last 200 loaded images, which are then shown at once. */
export function createImageMemory(most = lazyImage.cache) {
  const loaded = new Set<string>()
  return {
    has: (src: string) => loaded.has(src),
    add(src: string) {
      loaded.delete(src)
      loaded.add(src)
      const [oldest] = loaded
      if (loaded.size > most && oldest !== undefined) loaded.delete(oldest)
    },
  }
}

/** Calls `run` at once, then at most every `ms` while it is requested. */
export function throttled(run: () => void, ms = lazyImage.throttleMs): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  let asked = false
  const rest = () => {
    timer = undefined
    if (!asked) return
    asked = false
    begin()
  }
  const begin = () => {
    timer = setTimeout(rest, ms)
    run()
  }
  return () => {
    if (timer === undefined) begin()
    else asked = true
  }
}

type Come = () => void

/** Calls back when an element comes within 1.3 viewport heights of the viewport. @returns a function that stops observing it */
export function whenNear(element: Element, come: Come): () => void {
  waiting.set(element, come)
  watcher().observe(element)
  return () => forget(element)
}

const waiting = new Map<Element, Come>()
const near = new Set<Element>()
let observer: IntersectionObserver | undefined

function watcher(): IntersectionObserver {
  const margin = `${Math.round((lazyImage.preloadFactor - 1) * 100)}%`
  return (observer ??= new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) near[isIntersecting ? 'add' : 'delete'](target)
      release()
    },
    { rootMargin: `0px ${margin} ${margin} ${margin}` },
  ))
}

const release = throttled(() => {
  for (const element of near) {
    waiting.get(element)?.()
    forget(element)
  }
})

function forget(element: Element): void {
  observer?.unobserve(element)
  waiting.delete(element)
  near.delete(element)
}
