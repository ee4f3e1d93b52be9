import { expect, it } from 'vitest'
import { orderStatuses, paymentMethods } from '#contract/billing.ts'
import { htmlLanguage, languages } from '#contract/languages.ts'
import { socialAnswers } from '#contract/social.ts'

const files = import.meta.glob<object>('./*.json', { import: 'default', eager: true })
const sources = import.meta.glob<string>(['../**/*.{ts,tsx}', '!../**/*.test.ts', '!../studio/**'], {
  query: '?raw',
  import: 'default',
  eager: true,
})
const code = Object.values(sources).join('\n')
const parts = Object.keys(files)
  .filter((file) => file.startsWith('./en'))
  .map((file) => file.slice('./en'.length))
const others = languages.filter((language) => language !== 'en')

/** Every text by its dotted key, each plural form by its own. */
function flatten(texts: object | undefined, path = ''): Map<string, string> {
  const entries = Object.entries(texts ?? {}).flatMap(([key, value]): [string, string][] =>
    typeof value === 'string' ? [[path + key, value]] : [...flatten(value, `${path}${key}.`)],
  )
  return new Map(entries)
}

/** The key that the code asks for: a plural's forms share it. */
const askedFor = (key: string) => key.replace(/_(one|many|other)$/, '')
const keysOf = (texts: Map<string, string>) => [...new Set([...texts.keys()].map(askedFor))].toSorted()

/** Words that are spelt alike in both languages; each was looked at. */
const alike = new Set(
  'pay.paypal player.normal player.pause player.progress order.email order.cvv account.email account.name'.split(
    ' ',
  ),
)

const cases = parts.flatMap((part) => others.map((language) => ({ part, language })))
const placeholders = (text: string) => [...new Set(text.match(/{{\w+}}/g))].toSorted()

it.each(cases)(
  '$language, part $part, has every text of the English one and no other',
  ({ part, language }) => {
    const english = flatten(files[`./en${part}`])
    const translated = flatten(files[`./${language}${part}`])
    expect(keysOf(translated)).toEqual(keysOf(english))
  },
)

it.each(cases)(
  '$language, part $part, says nothing in English and keeps the placeholders',
  ({ part, language }) => {
    const english = flatten(files[`./en${part}`])
    for (const [key, text] of flatten(files[`./${language}${part}`])) {
      // English has no form for many.
      const original = english.get(key) ?? english.get(`${askedFor(key)}_other`) ?? ''
      if (!alike.has(key)) expect.soft(text, key).not.toBe(original)
      expect.soft(placeholders(text), key).toEqual(placeholders(original))
    }
  },
)

it.each(languages)('%s has every plural form that it needs', (language) => {
  const needed = new Intl.PluralRules(language === 'fy' ? 'fr' : language === 'dy' ? 'de' : language)
    .resolvedOptions()
    .pluralCategories.map((category) => `_${category}`)
  for (const part of parts) {
    const keys = JSON.stringify(files[`./${language}${part}`]).match(/"\w+_other"/g) ?? []
    for (const key of keys)
      for (const form of needed)
        expect.soft(JSON.stringify(files[`./${language}${part}`])).toContain(key.replace('_other', form))
  }
})

/** Of lengths of a period, which is never 0 days: "every day" names no number. */
const neverZero = new Set(['pay.renewsEvery', 'pay.introThen', 'shopping.per', 'shopping.first'])

it.each(languages)('%s names the number in the form that 0, 1, 2, 5, 21 and 1,000,000 take', (language) => {
  const rules = new Intl.PluralRules(htmlLanguage[language])
  for (const part of parts) {
    const texts = flatten(files[`./${language}${part}`])
    const plurals = [...texts.keys()].filter((key) => key.endsWith('_other')).map(askedFor)
    for (const key of plurals)
      for (const count of [0, 1, 2, 5, 21, 1_000_000]) {
        const text = texts.get(`${key}_${rules.select(count)}`) ?? ''
        expect.soft(text, `${key} of ${count}`).not.toBe('')
        const named = placeholders(texts.get(`${key}_other`) ?? '')
        if (!neverZero.has(key)) expect.soft(placeholders(text), `${key} of ${count}`).toEqual(named)
      }
  }
})

/** What follows the beginning of a key where the code puts it together. */
const endings: Record<string, readonly string[]> = {
  card: ['new', 'hot'],
  footer: ['terms', 'privacy', 'content', 'refund', 'contact', 'faq', 'service'],
  lists: ['purchase', 'subscription'],
  'orders.status': [...orderStatuses, 'processing'],
  pay: paymentMethods,
  player: ['playPause', 'back5', 'forward5', 'back10', 'forward10'],
  result: orderStatuses,
  social: socialAnswers,
  video: ['free', 'locked', 'unlocked'],
}

it('has no text that nothing asks for', () => {
  const beginnings = [...code.matchAll(/\bt\(`([\w.]+)\.\$\{/g)].map(([, beginning]) => beginning ?? '')
  expect([...new Set(beginnings)].toSorted()).toEqual(Object.keys(endings).toSorted())
  const joined = new Set(
    Object.entries(endings).flatMap(([beginning, ends]) => ends.map((end) => `${beginning}.${end}`)),
  )
  const keys = parts.flatMap((part) => keysOf(flatten(files[`./en${part}`])))
  expect(keys.filter((key) => !joined.has(key) && !code.includes(`'${key}'`))).toEqual([])
})
