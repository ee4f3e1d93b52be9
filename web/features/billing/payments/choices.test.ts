import { expect, test, vi } from 'vitest'
import type { Plan } from '#contract/billing.ts'
import '#web/i18n/watch.ts'
import { i18n } from '#web/i18n/index.ts'
import { badgeOf, episodeChoice, owedChoice, planChoice, videoChoice } from './choices.ts'

vi.hoisted(() => {
  vi.stubGlobal('location', { search: '' })
  vi.stubGlobal('document', { documentElement: {}, getElementById: () => null })
})

const { t } = i18n
const plan: Plan = {
  id: 'plan_1',
  name: 'Weekly',
  description: '',
  price_cents: 999,
  intro_price_cents: 499,
  currency: 'USD',
  period_days: 7,
  highlight: true,
}

test('a plan is sold at its introductory price if it has one, else at its regular price', () => {
  const renews = { cents: 999, days: 7 }
  expect(planChoice(t, plan)).toMatchObject({ cents: 499, renews })
  const { intro_price_cents: _none, ...plain } = plan
  expect(planChoice(t, plain)).toMatchObject({ cents: 999, renews })
})

test('only the lowest price per day is called the best value, whatever the operator recommends', () => {
  const plans = [
    { ...plan, id: 'weekly', highlight: false },
    { ...plan, id: 'monthly', price_cents: 2499, period_days: 30, highlight: true },
    { ...plan, id: 'yearly', price_cents: 14_999, period_days: 365, highlight: false },
  ]
  expect(plans.map((one) => badgeOf(one, plans))).toEqual([undefined, 'recommended', 'best'])
  expect(plans.slice(0, 2).map((one) => badgeOf(one, plans.slice(0, 2)))).toEqual([undefined, 'best'])
  expect(badgeOf(plan, [plan])).toBe('recommended')
})

test('the regular price is shown to users who are not eligible for the introductory price', () => {
  const { cents, terms } = planChoice(t, plan).regular ?? { terms: '' }
  expect([cents, terms.includes('$4.99'), terms.includes('$9.99 every 7 days')]).toEqual([999, false, true])
})

test('an episode is paid once, at its price and in its currency', () => {
  const episode = { id: 'ep_4', video_id: 'vid_1', number: 4, title: '', thumb_url: null }
  const choice = episodeChoice(t, {
    episode,
    price: { episode_cents: 100, video_cents: 999, currency: 'EUR' },
  })
  expect(choice).toMatchObject({ cents: 100, currency: 'EUR' })
  expect(choice.terms).toContain('€1.00 once')
})

test('a whole drama shows its number of episodes, and whether more will follow', () => {
  const drama = { id: 'vid_1', price: { episode_cents: 99, video_cents: 999, currency: 'USD' }, count: 24 }
  expect(videoChoice(t, { ...drama, hasUnreadyEpisodes: false }).text).toBe('All 24 episodes, yours to keep')
  expect(videoChoice(t, { ...drama, hasUnreadyEpisodes: true }).text).toBe(
    'All 24 episodes, yours to keep. Some are not out yet. New episodes unlock automatically when they are released.',
  )
})

test('an unpaid period has its own price and no introductory price, and is not a new subscription', () => {
  const owed = { id: 'plan_2', name: 'Monthly', price_cents: 2499, currency: 'USD', period_days: 30 }
  const choice = owedChoice(t, owed, [])
  expect(choice).toMatchObject({
    id: 'plan_2',
    cents: 2499,
    owed: true,
    terms: expect.stringMatching(/^\$24.99 every 30 days/),
  })
})
