import { expect, test, vi } from 'vitest'
import '#web/i18n/watch.ts'
import { i18n } from '#web/i18n/index.ts'
import { acceptedTextOf, panelTerms, payLabel } from './accepted-terms.ts'
import type { Choice } from './choices.ts'

vi.hoisted(() => {
  vi.stubGlobal('location', { search: '' })
  vi.stubGlobal('document', { documentElement: {}, getElementById: () => null })
})

const { t } = i18n
const choice: Choice = {
  kind: 'plan',
  id: 'plan_1',
  name: 'Weekly',
  text: '',
  cents: 499,
  currency: 'USD',
  terms: '$9.99 every 7 days.',
}

test('the terms in the pay panel mention cancellation for a plan, and the right of withdrawal if there is no order form', () => {
  const ends = t('pay.cancelAnyTime')
  const undone = t('order.withdrawal')
  expect(panelTerms(t, choice, true)).toBe(`${choice.terms} ${ends} ${undone}`)
  expect(panelTerms(t, choice, false)).toBe(`${choice.terms} ${ends}`)
  const once = { ...choice, kind: 'episode' as const, terms: 'Once.' }
  expect([true, false].map((one) => panelTerms(t, once, one))).toEqual([`Once. ${undone}`, 'Once.'])
})

test('the pay button says "Subscribe" for a plan, and "Pay" for an episode or an unpaid period', () => {
  expect(payLabel(t, choice)('$4.99')).toBe('Subscribe for $4.99')
  expect(payLabel(t, { kind: 'episode' })('€1.00')).toBe('Pay €1.00')
  expect(payLabel(t, { kind: 'plan', owed: true })('$24.99')).toBe('Pay $24.99')
})

test('in the accepted terms, the text of the item ends with one full stop', () => {
  const accepted = (text: string) => acceptedTextOf({ ...choice, text }, choice.terms, payLabel(t, choice))
  const rest = '$9.99 every 7 days. [Subscribe for $4.99]'
  expect(accepted('Every episode, a week at a time.')).toBe(
    `Weekly: Every episode, a week at a time. ${rest}`,
  )
  expect(accepted('Every episode')).toBe(`Weekly: Every episode. ${rest}`)
})
