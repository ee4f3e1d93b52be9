import { expect, it } from 'vitest'
import { balanceEntryKinds } from '#contract/balance.ts'
import { sorts } from '#contract/catalog.ts'
import { orderStatuses, paymentMethods } from '#contract/billing.ts'
import { bcp47Tags, type Language, languages } from '#contract/languages.ts'
import { socialSignInOutcomes } from '#contract/social.ts'
import { createTranslator, type TextTree } from './translator.ts'

const files = import.meta.glob<TextTree>('./*/*.json', { import: 'default', eager: true })
const sources = import.meta.glob<string>(['../**/*.{ts,tsx}', '!../**/*.test.ts', '!../studio/**'], {
  query: '?raw',
  import: 'default',
  eager: true,
})
const code = Object.values(sources).join('\n')
const parts = Object.keys(files)
  .filter((file) => file.startsWith('./en/'))
  .map((file) => file.slice('./en/'.length))
const others = languages.filter((language) => language !== 'en')

/** Returns every text by its dotted key; each plural form has a separate key. */
function flatten(texts: object | undefined, path = ''): Map<string, string> {
  const entries = Object.entries(texts ?? {}).flatMap(([key, value]): [string, string][] =>
    typeof value === 'string' ? [[path + key, value]] : [...flatten(value, `${path}${key}.`)],
  )
  return new Map(entries)
}

/** Returns the key that the code uses: the plural forms of a text share it. */
const askedFor = (key: string) => key.replace(/_(one|many|other)$/, '')
const keysOf = (texts: Map<string, string>) => [...new Set([...texts.keys()].map(askedFor))].toSorted()

/** For each language, the keys of the texts that are the same as in English. Each was reviewed. */
const alike: Partial<Record<Language, string>> = {
  dy: 'account.name order.cvv pay.paypal pay.wallet player.normal player.progress privacy.details video.link',
  es: 'order.cvv orders.plan pay.paypal player.normal',
  fy: 'account.email order.cvv order.email pay.paypal pay.testMethod player.pause player.progress player.volume search.suggestions video.byMail',
  pt: 'account.email order.cvv order.email pay.paypal player.normal player.volume search.tag video.byMail video.link',
}

/** Texts that need no plural forms, because `{{days}}` already contains number and noun: "7 days". */
const countless = new Set(['orders.renews'])

/**
 * Texts about the length of a period, which is at least one day. Their forms need not contain the number, as in "every
 * day". Where a language has a word between the number and "days", its text has `{{count}}` instead of `{{days}}`.
 */
const periods = new Set([
  'pay.renewsEvery',
  'pay.introThen',
  'pay.introPeriod',
  'pay.period',
  'shopping.per',
  'shopping.first',
])
const isPeriod = (key: string) => periods.has(askedFor(key))

const cases = parts.flatMap((part) => others.map((language) => ({ part, language })))
const placeholders = (text: string) => [...new Set(text.match(/{{\w+}}/g))].toSorted()

it.each(cases)('$language, part $part, has the same text keys as English', ({ part, language }) => {
  const english = flatten(files[`./en/${part}`])
  const translated = flatten(files[`./${language}/${part}`])
  expect(keysOf(translated)).toEqual(keysOf(english))
})

it.each(cases)('$language, part $part, is translated and keeps the placeholders', ({ part, language }) => {
  const english = flatten(files[`./en/${part}`])
  for (const [key, text] of flatten(files[`./${language}/${part}`])) {
    const values = (translated: string) =>
      placeholders(isPeriod(key) ? translated.replaceAll('{{count}}', '{{days}}') : translated)
    // English has no "many" form.
    const original = english.get(key) ?? english.get(`${askedFor(key)}_other`) ?? ''
    if (text === original) expect.soft(alike[language]?.split(' '), key).toContain(key)
    expect.soft(values(text), key).toEqual(values(original))
  }
})

it.each(languages)('%s has every plural form that it needs', (language) => {
  const needed = new Intl.PluralRules(language === 'fy' ? 'fr' : language === 'dy' ? 'de' : language)
    .resolvedOptions()
    .pluralCategories.map((category) => `_${category}`)
  for (const part of parts) {
    const keys = JSON.stringify(files[`./${language}/${part}`]).match(/"\w+_other"/g) ?? []
    for (const key of keys)
      for (const form of needed)
        expect.soft(JSON.stringify(files[`./${language}/${part}`])).toContain(key.replace('_other', form))
  }
})

it.each(languages)(
  'in %s, the plural forms for 0, 1, 2, 5, 21 and 1,000,000 contain the number',
  (language) => {
    const rules = new Intl.PluralRules(bcp47Tags[language])
    for (const part of parts) {
      const texts = flatten(files[`./${language}/${part}`])
      const plurals = [...texts.keys()].filter((key) => key.endsWith('_other')).map(askedFor)
      for (const key of plurals)
        for (const count of [0, 1, 2, 5, 21, 1_000_000]) {
          const text = texts.get(`${key}_${rules.select(count)}`) ?? ''
          expect.soft(text, `${key} of ${count}`).not.toBe('')
          const named = placeholders(texts.get(`${key}_other`) ?? '')
          if (!isPeriod(key)) expect.soft(placeholders(text), `${key} of ${count}`).toEqual(named)
        }
    }
  },
)

it.each(languages)('in %s, every text with a count has plural forms', (language) => {
  for (const part of parts)
    for (const [key, text] of flatten(files[`./${language}/${part}`]))
      if (/{{(count|days|plays)}}/.test(text) && !countless.has(key))
        expect.soft(key, text).toMatch(/_(one|many|other)$/)
})

it.each(languages)(
  'in %s, no text has a percent sign, because `formatPercent` adds the sign with the right space',
  (language) => {
    for (const part of parts)
      for (const [key, text] of flatten(files[`./${language}/${part}`]))
        expect.soft(text, key).not.toContain('%')
  },
)

it.each([
  ['en', 'first day', 'first 7 days'],
  ['dy', 'für den ersten Tag', 'für die ersten 7 Tage'],
  ['fy', 'le premier jour', 'les 7 premiers jours'],
  ['es', 'el primer día', 'los primeros 7 días'],
  ['pt', 'no primeiro dia', 'nos primeiros 7 dias'],
] as const)('%s writes the days of an introductory price as its speakers do', (language, one, seven) => {
  const { t, add } = createTranslator(language)
  add(language, files[`./${language}/watch.json`] ?? {})
  const first = (count: number) => t('shopping.first', { count, days: t('pay.days', { count }) })
  expect([first(1), first(7)]).toEqual([one, seven])
})

/** Suffixes of keys that the code composes. */
const endings: Record<string, readonly string[]> = {
  'balance.entry': balanceEntryKinds,
  card: ['new', 'hot'],
  footer: ['terms', 'privacy', 'content', 'refund', 'contact', 'faq', 'service'],
  list: sorts,
  lists: ['purchase', 'subscription'],
  'orders.status': [...orderStatuses, 'processing'],
  pay: paymentMethods,
  player: ['playPause', 'back5', 'forward5', 'back10', 'forward10'],
  result: orderStatuses,
  social: socialSignInOutcomes,
  video: ['free', 'locked', 'unlocked'],
}

it('has no unused text', () => {
  const beginnings = [...code.matchAll(/\bt\(`([\w.]+)\.\$\{/g)].map(([, beginning]) => beginning ?? '')
  expect([...new Set(beginnings)].toSorted()).toEqual(Object.keys(endings).toSorted())
  const joined = new Set(
    Object.entries(endings).flatMap(([beginning, ends]) => ends.map((end) => `${beginning}.${end}`)),
  )
  const keys = parts.flatMap((part) => keysOf(flatten(files[`./en/${part}`])))
  expect(keys.filter((key) => !joined.has(key) && !code.includes(`'${key}'`))).toEqual([])
})
