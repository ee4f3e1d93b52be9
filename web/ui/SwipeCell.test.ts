import { describe, expect, it } from 'vitest'
import { shouldStayOpen } from './SwipeCell.tsx'

describe('a swiped row', () => {
  it('opens if the swipe moves at least 15 percent of the width of its action, else stays closed', () => {
    expect([shouldStayOpen(false, -14, 100), shouldStayOpen(false, -15, 100)]).toEqual([false, true])
  })

  it('closes if the swipe back moves at least 15 percent of the width of its action, else stays open', () => {
    expect([shouldStayOpen(true, 14, 100), shouldStayOpen(true, 15, 100)]).toEqual([true, false])
  })
})
