import { expect, it } from 'vitest'
import { languages } from '#contract/languages.ts'
import { serverTexts } from '#server/i18n/translate.ts'
import { noteValues, formatNote } from './source-notes.ts'

const placeholders = (text: string) => [...text.matchAll(/\{\{(\w+)\}\}/g)].map(([, name]) => name).toSorted()

it.each(languages)('each note has a text in %s with its values', (language) => {
  const found = Object.entries(serverTexts[language].noted).map(([key, text]) => [key, placeholders(text)])
  const expected = Object.entries(noteValues).map(([key, values]) => [key, [...values].toSorted()])
  expect(Object.fromEntries(found)).toEqual(Object.fromEntries(expected))
})

it('a note names languages in the language of its reader', () => {
  const note = { key: 'captionTimes', language: 'dy', line: 7 } as const
  expect(formatNote(note, 'en')).toBe(
    'has captions in German whose times can’t be used (first in line 7): they are left out',
  )
  expect(formatNote(note, 'dy')).toContain('auf Deutsch')
})
