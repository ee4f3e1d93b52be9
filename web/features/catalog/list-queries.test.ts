import { expect, it } from 'vitest'
import type { VideoCard } from '#contract/catalog.ts'
import { withoutRepeats } from './list-queries.ts'

it('leaves each drama of a feed where it came first, whatever further pages repeat', () => {
  const named = (ids: string) => [...ids].map((id) => ({ id }) as VideoCard)
  const idsOf = (cards: VideoCard[]) => cards.map(({ id }) => id).join('')
  expect(idsOf(withoutRepeats(named('ABCDEFGHIJ')))).toBe('ABCDEFGHIJ')
  expect(idsOf(withoutRepeats(named('ABCDEFGHIJCAZJ')))).toBe('ABCDEFGHIJZ')
})
