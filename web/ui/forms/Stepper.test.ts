import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createHold } from './Stepper.tsx'

describe('a button of a stepper', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('repeats every 200 ms while it is held', () => {
    const step = vi.fn<() => void>()
    const hold = createHold(step)
    hold.press()
    vi.advanceTimersByTime(600)
    expect(step).toHaveBeenCalledTimes(1)
    vi.advanceTimersByTime(400)
    expect(step).toHaveBeenCalledTimes(3)
    hold.release()
    vi.advanceTimersByTime(1000)
    expect(step).toHaveBeenCalledTimes(3)
    expect(hold.wasHold()).toBe(true)
  })

  it('does nothing on a short press, which the click event handles', () => {
    const step = vi.fn<() => void>()
    const hold = createHold(step)
    hold.press()
    vi.advanceTimersByTime(300)
    hold.release()
    vi.advanceTimersByTime(1000)
    expect(step).not.toHaveBeenCalled()
    expect(hold.wasHold()).toBe(false)
  })
})
