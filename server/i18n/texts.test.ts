import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { faults, refusals } from '#contract/errors.ts'
import { bcp47Tags, languages } from '#contract/languages.ts'
import { serverTexts, translate } from './translate.ts'

const server = join(import.meta.dirname, '..')

/** Returns all texts by their full keys, such as `faults.tooManyRequests`. */
function flatten(texts: object, prefix = ''): Map<string, string> {
  return new Map(
    Object.entries(texts).flatMap(([name, value]): [string, string][] =>
      typeof value === 'string' ? [[prefix + name, value]] : [...flatten(value, `${prefix}${name}.`)],
    ),
  )
}

const english = flatten(serverTexts.en)
const placeholders = (text: string) => (text.match(/\{\{\s*\w+/g) ?? []).toSorted()

function source(): string {
  return readdirSync(server, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .map((file) => readFileSync(join(server, file), 'utf8'))
    .join('\n')
}

describe.each(languages)('the texts in %s', (language) => {
  const texts = flatten(serverTexts[language])

  it('have the same keys as the English texts', () => {
    expect([...texts.keys()].toSorted()).toEqual([...english.keys()].toSorted())
  })

  it('are not empty, and contain the same placeholders as the English texts', () => {
    for (const [key, text] of texts) {
      expect(text.trim(), key).not.toBe('')
      expect(placeholders(text), key).toEqual(placeholders(english.get(key) ?? ''))
    }
  })
})

it('every refusal and every fault has a text, and no other text exists', () => {
  expect(Object.keys(serverTexts.en.refusals).toSorted()).toEqual(Object.keys(refusals).toSorted())
  expect(Object.keys(serverTexts.en.faults).toSorted()).toEqual(Object.keys(faults).toSorted())
})

it('every text is used, and every text that is used exists', () => {
  const code = source()
  const unused = [...english.keys()].filter((key) => {
    const group = `${key.split('.')[0]}.`
    // Code names a plural without its form: `translate` adds `_one` or `_other`.
    const name = key.replace(/_(one|other)$/, '')
    return !code.includes(`'${name}'`) && !code.includes(`\`${group}\${`)
  })
  expect(unused).toEqual([])
  const usedKeys = [...code.matchAll(/translate\([\w.]+, '([\w.]+)'/g)].map(([, key]) => key ?? '')
  expect(usedKeys.filter((key) => !english.has(key) && !english.has(`${key}_other`))).toEqual([])
})

it('every text is translated in every language', () => {
  const same = languages
    .filter((language) => language !== 'en')
    .flatMap((language) =>
      [...flatten(serverTexts[language])].filter(
        ([key, text]) => !key.startsWith('captions.') && text === english.get(key),
      ),
    )
  expect(same).toEqual([])
})

it.each(languages)('every plural in %s has a text for 0, 1, 2, 5, 21 and 1,000,000', (language) => {
  const rules = new Intl.PluralRules(bcp47Tags[language])
  const texts = flatten(serverTexts[language])
  const plurals = [...english.keys()].filter((key) => key.endsWith('_other'))
  expect(plurals).not.toEqual([])
  for (const key of plurals.map((key) => key.replace('_other', '')))
    for (const count of [0, 1, 2, 5, 21, 1_000_000]) {
      const form = rules.select(count)
      // Spanish, French and Portuguese have the form `many` for a million. i18next then uses `_other`, which is
      // harmless, because no period is that long.
      expect.soft(texts.has(`${key}_${form}`) || form === 'many', `${key} of ${count}`).toBe(true)
      const text = translate(language, key, { count })
      expect.soft(text, `${key} of ${count}`).not.toMatch(/{{|^period\./)
      expect.soft(text === translate('en', key, { count }), `${key} of ${count}`).toBe(language === 'en')
    }
})

it('translates a text into the requested language', () => {
  expect(translate('dy', 'faults.unknownEndpoint')).toBe('Diesen API-Aufruf gibt es nicht.')
})
