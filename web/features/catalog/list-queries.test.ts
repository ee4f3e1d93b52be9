import { expect, it } from 'vitest'
import type { VideoCard } from '#contract/catalog.ts'
import { withoutRepeats } from './list-queries.ts'

it('keeps each drama of a feed at its first position when later pages repeat it', () => {
  const named = (ids: string) => [...ids].map((id) => ({ id }) as VideoCard)
  const idsOf = (cards: VideoCard[]) => cards.map(({ id }) => id).join('')
  expect(idsOf(withoutRepeats(named('ABCDEFGHIJ')))).toBe('ABCDEFGHIJ')
  expect(idsOf(withoutRepeats(named('ABCDEFGHIJCAZJ')))).toBe('ABCDEFGHIJZ')
})
