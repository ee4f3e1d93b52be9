import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createLoadedImageCache, lazyImageLimits, throttled, whenNear } from './lazy-images.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('throttled', () => {
  it('runs at once, then at most once per 200 ms', () => {
    const run = vi.fn<() => void>()
    const runThrottled = throttled(run)
    runThrottled()
    expect(run).toHaveBeenCalledTimes(1)
    runThrottled()
    runThrottled()
    vi.advanceTimersByTime(199)
    expect(run).toHaveBeenCalledTimes(1)
    vi.advanceTimersByTime(1)
    expect(run).toHaveBeenCalledTimes(2)
    vi.advanceTimersByTime(1000)
    expect(run).toHaveBeenCalledTimes(2)
  })
})

describe('the cache of loaded images', () => {
  it('holds 200 images and drops the least recently used', () => {
    const memory = createLoadedImageCache()
    for (let i = 0; i < 200; i++) memory.add(`${i}`)
    memory.add('0')
    memory.add('new')
    expect([memory.has('0'), memory.has('1'), memory.has('2'), memory.has('new')]).toEqual([
      true,
      false,
      true,
      true,
    ])
  })
})

describe('whenNear', () => {
  let margin: string | undefined
  let intersect: (element: object) => void = () => {}
  beforeEach(() => {
    class Observer {
      constructor(
        onIntersect: (entries: { target: object; isIntersecting: boolean }[]) => void,
        options: { rootMargin: string },
      ) {
        margin = options.rootMargin
        intersect = (target) => onIntersect([{ target, isIntersecting: true }])
      }
      observe() {}
      unobserve() {}
    }
    vi.stubGlobal('IntersectionObserver', Observer)
  })

  it('reports an element once, when it is at most 30 % of the viewport height away', () => {
    expect(lazyImageLimits).toEqual({ attempts: 3, preloadFactor: 1.3, throttleMs: 200, cacheSize: 200 })
    const onNear = vi.fn<() => void>()
    // The tested function reads no property of the element.
    const element = {} as Element
    whenNear(element, onNear)
    expect(margin).toBe('0px 30% 30% 30%')
    intersect(element)
    intersect(element)
    vi.advanceTimersByTime(1000)
    expect(onNear).toHaveBeenCalledTimes(1)
  })
})
