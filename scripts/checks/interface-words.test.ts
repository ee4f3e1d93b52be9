import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { languages, type Language } from '#contract/languages.ts'
import { sandboxTexts as sandboxWords } from '#server/features/billing/gateways/sandbox/sandbox-texts.ts'

const root = join(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')

type Texts = string | { [key: string]: Texts }

/** Returns the texts of a JSON file without their keys. */
function textsOf(texts: Texts): string[] {
  return typeof texts === 'string' ? [texts] : Object.values(texts).flatMap(textsOf)
}

/** Returns every text of the interface in a language, with its file. */
function interfaceTexts(language: Language): [file: string, text: string][] {
  const files = ['web/i18n', 'web/studio/texts', 'server/i18n', 'server/features/pages/texts'].flatMap(
    (folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
        .filter((file) => file.split(/[./]/).includes(language) && /\.(json|md)$/.test(file))
        .map((file) => `${folder}/${file}`),
  )
  const own = files.flatMap((file) => {
    const content = read(file)
    const texts = file.endsWith('.md') ? content.split('\n') : textsOf(JSON.parse(content) as Texts)
    return texts.map((text): [string, string] => [file, text])
  })
  return [...own, ...textsOf(sandboxWords[language]).map((text): [string, string] => ['sandbox', text])]
}

/** Returns the words that the glossary forbids in a language: the last column of its tables. */
function refusedWords(language: Language): string[] {
  const chapter = read('web/i18n/glossary.md')
    .split('\n## ')
    .find((text) => text.startsWith(language))
  const rows = chapter?.split('\n').filter((line) => line.startsWith('| ')) ?? []
  return rows.slice(2).flatMap((row) => (row.split('|').at(-2) ?? '').split(',').map((word) => word.trim()))
}

/** Returns a pattern for a whole word in any case; a trailing "…" matches any ending. */
function wordPattern(word: string): RegExp {
  const ending = word.endsWith('…') ? '' : '(?![\\p{L}-])'
  return new RegExp(`(?<![\\p{L}-])${word.replace('…', '')}${ending}`, 'iu')
}

it.each(languages)('%s contains no word that its glossary forbids', (language) => {
  const refused = refusedWords(language)
  expect(refused.length).toBeGreaterThan(5)
  for (const [file, text] of interfaceTexts(language))
    for (const word of refused)
      if (wordPattern(word).test(text.replaceAll(/{{\w+}}/g, '')))
        expect.soft(`${file}: ${text}`, word).toBe(`without “${word}”`)
})

it('reads the texts of screens, mails, pages and the sandbox', () => {
  const files = new Set(interfaceTexts('pt').map(([file]) => file))
  expect([...files]).toEqual(
    expect.arrayContaining([
      'web/i18n/pt/watch.json',
      'server/i18n/mails.pt.json',
      'server/i18n/pt.json',
      'server/features/pages/texts/privacyPolicy.pt.md',
      'sandbox',
    ]),
  )
})

it('matches whole words in any case, and any ending after "…"', () => {
  expect(wordPattern('ecrã').test('No Ecrã inteiro')).toBe(true)
  expect(wordPattern('si').test('simples')).toBe(false)
  expect(wordPattern('Mail').test('E-Mail-Adresse')).toBe(false)
  expect(wordPattern('encomenda…').test('as encomendas')).toBe(true)
})
