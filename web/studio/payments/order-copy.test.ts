import { expect, test } from 'vitest'
import type { Translate } from '#web/studio/texts.ts'
import { declineText } from './order-copy.ts'

const t: Translate = (key) => `words of ${key}`

test('describes why a payment failed, and shows an unknown reason unchanged', () => {
  expect(declineText('card_declined', t)).toBe('words of payments.decline.card_declined')
  expect(declineText('of_before', t)).toBe('of_before')
})
