import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createImageMemory, throttled } from './lazy-images.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('what is throttled', () => {
  it('runs at once, then once per 200 ms however often it is asked for', () => {
    const run = vi.fn<() => void>()
    const ask = throttled(run)
    ask()
    expect(run).toHaveBeenCalledTimes(1)
    ask()
    ask()
    vi.advanceTimersByTime(199)
    expect(run).toHaveBeenCalledTimes(1)
    vi.advanceTimersByTime(1)
    expect(run).toHaveBeenCalledTimes(2)
    vi.advanceTimersByTime(1000)
    expect(run).toHaveBeenCalledTimes(2)
  })
})

describe('the memory of pictures', () => {
  it('holds 200, and forgets the one that was met longest ago', () => {
    const memory = createImageMemory()
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
