import { expect, it } from 'vitest'
import { languages } from '#contract/languages.ts'

const files = import.meta.glob<object>('./*.json', { import: 'default', eager: true })
const parts = Object.keys(files)
  .filter((file) => file.startsWith('./en'))
  .map((file) => file.slice('./en'.length))
const others = languages.filter((language) => language !== 'en')

/** Every text by its dotted key, plural forms under the key they belong to. */
function flatten(texts: object | undefined, path = ''): Map<string, string> {
  const entries = Object.entries(texts ?? {}).flatMap(([key, value]): [string, string][] =>
    typeof value === 'string' ? [[path + key, value]] : [...flatten(value, `${path}${key}.`)],
  )
  return new Map(entries.map(([key, value]) => [key.replace(/_(one|many|other)$/, ''), value]))
}

/** Words that are spelt alike in both languages; each was looked at. */
const alike = new Set(
  'pay.plan pay.paypal player.normal player.player player.pause player.progress order.email account.email account.name'.split(
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
    expect([...translated.keys()].toSorted()).toEqual([...english.keys()].toSorted())
  },
)

it.each(cases)(
  '$language, part $part, says nothing in English and keeps the placeholders',
  ({ part, language }) => {
    const english = flatten(files[`./en${part}`])
    for (const [key, text] of flatten(files[`./${language}${part}`])) {
      const original = english.get(key) ?? ''
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
