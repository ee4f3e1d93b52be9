import { expect, it, vi } from 'vitest'
import { answerConsent } from './consent.ts'
import { onTracked, track, type TrackedEvent } from './track.ts'

const open = (pathname: string) => vi.stubGlobal('location', { pathname })

/** What somebody hears who listens from now on. */
function hear(): { heard: TrackedEvent[]; end: () => void } {
  const heard: TrackedEvent[] = []
  const end = onTracked((event) => heard.push(event))
  return { heard, end }
}

it('hands on what happened on the page that is shown, and nothing of a page that was left', () => {
  open('/before')
  track({ name: 'ViewContent', contentId: 'left' })
  open('/now')
  track({ name: 'Search', words: 'here' })
  const { heard, end } = hear()
  track({ name: 'InitiateCheckout' })
  end()
  track({ name: 'Purchase', eventId: 'after' })
  expect(heard).toEqual([{ name: 'Search', words: 'here' }, { name: 'InitiateCheckout' }])
})

it('keeps a conversion of somebody who has agreed until it is heard, however many pages later, and tells it once', () => {
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

it('tells nobody of a conversion on a page that was left before the person agreed', () => {
  const { end } = hear()
  end()
  answerConsent(false)
  open('/order/result')
  track({ name: 'Purchase', eventId: 'ord_1' })
  open('/videos/vid_1')
  answerConsent(true)
  expect(hear().heard).toEqual([])
})
