import { expect, it, vi } from 'vitest'
import { hearTracked, track, type TrackedEvent } from './track.ts'

it('hands on what happened on the page that is shown, and nothing of a page that was left', () => {
  const heard: TrackedEvent[] = []
  vi.stubGlobal('location', { pathname: '/before' })
  track({ name: 'ViewContent', contentId: 'left' })
  vi.stubGlobal('location', { pathname: '/now' })
  track({ name: 'Search', words: 'here' })
  const end = hearTracked((event) => heard.push(event))
  track({ name: 'InitiateCheckout' })
  end()
  track({ name: 'Purchase', eventId: 'after' })
  expect(heard).toEqual([{ name: 'Search', words: 'here' }, { name: 'InitiateCheckout' }])
})
