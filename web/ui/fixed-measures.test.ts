import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createHold } from './forms/Stepper.tsx'
import { shouldStayOpen } from './SwipeCell.tsx'

describe('a swiped row', () => {
  it('opens if the swipe moves at least 15 percent of the width of its action, else stays closed', () => {
    expect([shouldStayOpen(false, -14, 100), shouldStayOpen(false, -15, 100)]).toEqual([false, true])
  })

  it('closes if the swipe back moves at least 15 percent of the width of its action, else stays open', () => {
    expect([shouldStayOpen(true, 14, 100), shouldStayOpen(true, 15, 100)]).toEqual([true, false])
  })
})

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
