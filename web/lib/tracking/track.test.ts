import { expect, it, vi } from 'vitest'
import { answerConsent } from './consent.ts'
import { onTrackedEvent, track, type TrackedEvent } from './track.ts'

const open = (pathname: string) => vi.stubGlobal('location', { pathname })

/** Collects the events that a new listener receives. */
function hear(): { heard: TrackedEvent[]; end: () => void } {
  const heard: TrackedEvent[] = []
  const end = onTrackedEvent((event) => heard.push(event))
  return { heard, end }
}

it('delivers events of the current page and none of a page that was left', () => {
  open('/before')
  track({ name: 'ViewContent', contentId: 'left' })
  open('/now')
  track({ name: 'Search', searchTerm: 'here' })
  const { heard, end } = hear()
  track({ name: 'InitiateCheckout' })
  end()
  track({ name: 'Purchase', eventId: 'after' })
  expect(heard).toEqual([{ name: 'Search', searchTerm: 'here' }, { name: 'InitiateCheckout' }])
})

it('keeps a conversion after consent until a listener is registered, and delivers it once', () => {
  answerConsent(true)
  open('/order/result')
  for (const name of ['Purchase', 'Subscribe', 'CompleteRegistration'] as const)
    track({ name, eventId: name })
  track({ name: 'ViewContent' })
  open('/videos/vid_1')
  const { heard, end } = hear()
  end()
  expect(heard.map(({ eventId }) => eventId)).toEqual(['Purchase', 'Subscribe', 'CompleteRegistration'])
  expect(hear().heard).toEqual([])
})

it('drops a conversion on a page that was left before consent', () => {
  const { end } = hear()
  end()
  answerConsent(false)
  open('/order/result')
  track({ name: 'Purchase', eventId: 'ord_1' })
  open('/videos/vid_1')
  answerConsent(true)
  expect(hear().heard).toEqual([])
})
