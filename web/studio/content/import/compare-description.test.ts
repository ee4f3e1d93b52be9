import { expect, it, vi } from 'vitest'
import type { VideoDescription } from '#contract/studio/video-descriptions.ts'
import type { StudioVideoPage } from '#contract/studio/videos.ts'
import { compareDescription, editsOf } from './compare-description.ts'

vi.mock('#web/lib/language.ts', () => ({ currentLanguage: () => 'en' }))

const draft: StudioVideoPage = {
  id: 'vid_1',
  slug: 'salt',
  state: 'draft',
  titles: { en: 'Salt', dy: 'Salz' },
  synopses: {},
  category: null,
  tags: [{ slug: 'sea', name: 'The sea' }],
  badge: null,
  featured: true,
  free_episodes: 3,
  price: { episode_cents: 99, video_cents: 999, currency: 'USD' },
  cover_url: null,
  cover_color: '#000000',
  language_covers: [],
  episode_count: 0,
  released_at: null,
  created_at: '2026-01-01T00:00:00.000Z',
  warnings: [],
  inherited: null,
}
const description: VideoDescription = {
  titles: { en: 'Salt', dy: 'Das Salz', es: 'Sal' },
  synopses: { en: 'Two sisters.', es: 'Dos hermanas.' },
  category: 'drama',
  tags: ['sea'],
  badge: null,
  featured: false,
  free_episodes: 3,
  episode_cents: 89,
  video_cents: 999,
  currency: 'USD',
  episode_titles: [],
}

it('returns only differences, with the current value, and ignores omitted values', () => {
  const differences = compareDescription(description, draft).map(({ part, language, was }) => [
    part,
    language,
    was,
  ])
  expect(differences).toEqual([
    ['titles', 'es', ''],
    ['titles', 'dy', 'Salz'],
    ['synopses', 'en', ''],
    ['synopses', 'es', ''],
    ['category', undefined, ''],
    ['price', undefined, '0.99 / 9.99 USD'],
  ])
})

it('combines selected differences into one edit, without the languages that do not change', () => {
  const selected = compareDescription(description, draft).filter(({ was }) => was === '')
  expect(editsOf(selected)).toEqual({
    titles: { es: 'Sal' },
    synopses: { en: 'Two sisters.', es: 'Dos hermanas.' },
    category: 'drama',
  })
  expect(editsOf([])).toEqual({})
})

it('marks values that a draft inherited from the previous video', () => {
  const inheritedOf = (inherited: StudioVideoPage['inherited']) =>
    compareDescription({ ...description, free_episodes: 5 }, { ...draft, inherited })
      .filter(({ isInherited }) => isInherited)
      .map(({ part }) => part)
  expect(inheritedOf(null)).toEqual([])
  expect(inheritedOf({ fields: ['price'], from: null })).toEqual(['price'])
  expect(inheritedOf({ fields: ['price', 'free_episodes'], from: null })).toEqual(['free_episodes', 'price'])
})
