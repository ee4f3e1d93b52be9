import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createHold } from './forms/Stepper.tsx'
import { shouldStayOpen } from './SwipeCell.tsx'

describe('a swiped row', () => {
  it('opens from 15 percent of its action on, and stays closed below', () => {
    expect([shouldStayOpen(false, -14, 100), shouldStayOpen(false, -15, 100)]).toEqual([false, true])
  })

  it('closes from 15 percent of the distance back on', () => {
    expect([shouldStayOpen(true, 14, 100), shouldStayOpen(true, 15, 100)]).toEqual([true, false])
  })
})

describe("a stepper's button that is held", () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('repeats every 200 ms until it is released', () => {
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

  it('leaves a short press to the click', () => {
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
