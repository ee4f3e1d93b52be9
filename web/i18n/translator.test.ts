import { describe, expect, it, vi } from 'vitest'
import type { Language } from '#contract/languages.ts'
import { createTranslator } from './translator.ts'

function translator(language: Language) {
  const made = createTranslator<string>(language)
  made.add('en', {
    card: { new: 'New', episodes_one: '{{count}} episode', episodes_other: '{{count}} episodes' },
  })
  made.add('en', { card: { hot: 'Hot' }, greeting: 'Hello {{name}}, {{name}}' })
  return made
}

describe('a text', () => {
  it('is found by its dotted key in the part that contains it', () => {
    const { t } = translator('en')
    expect([t('card.new'), t('card.hot')]).toEqual(['New', 'Hot'])
  })

  it('replaces every placeholder with its value, whatever characters the value contains', () => {
    const { t } = translator('en')
    expect(t('greeting', { name: '$& {{name}} <b>' })).toBe('Hello $& {{name}} <b>, $& {{name}} <b>')
    expect(t('greeting')).toBe('Hello , ')
  })

  it('falls back to English, then to its key', () => {
    const { t, add } = translator('dy')
    add('dy', { card: { new: 'Neu' } })
    expect([t('card.new'), t('card.hot'), t('card.none')]).toEqual(['Neu', 'Hot', 'card.none'])
    expect(t('card.episodes', { count: 1 })).toBe('1 episode')
  })
})

describe('a number', () => {
  it("selects the language's plural form", () => {
    const { t, add } = translator('fy')
    add('fy', {
      card: {
        episodes_one: '{{count}} épisode',
        episodes_many: '{{count}} d’épisodes',
        episodes_other: '{{count}} épisodes',
      },
    })
    const counts = [0, 1, 2, 1_000_000].map((count) => t('card.episodes', { count }))
    expect(counts).toEqual(['0 épisode', '1 épisode', '2 épisodes', '1000000 d’épisodes'])
  })

  it('is also inserted into a text without plural forms', () => {
    const { t, add } = translator('en')
    add('en', { all: 'All {{count}}' })
    expect(t('all', { count: 2 })).toBe('All 2')
  })

  it('uses the "other" form if the form for the number is missing', () => {
    const { t, add } = translator('es')
    add('es', { card: { episodes_other: '{{count}} episodios' } })
    expect(t('card.episodes', { count: 1 })).toBe('1 episodios')
  })
})

it('notifies listeners of a change of language until they unsubscribe', () => {
  const made = translator('en')
  made.add('pt', { card: { new: 'Novo' } })
  const heard = vi.fn(() => made.t('card.new'))
  const stop = made.onChange(heard)
  made.setLanguage('pt')
  expect(heard).toHaveReturnedWith('Novo')
  stop()
  made.setLanguage('en')
  expect(heard).toHaveBeenCalledTimes(1)
})
