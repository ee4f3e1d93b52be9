import { describe, expect, it } from 'vitest'
import { languages } from '#contract/languages.ts'
import { serverTexts } from '#server/i18n/translate.ts'
import { quoted, reasonIn, reasons, UnusableFile } from './unusable-file.ts'

const placeholders = (text: string) => [...text.matchAll(/\{\{(\w+)\}\}/g)].map(([, name]) => name).toSorted()

describe('a file that can’t be used', () => {
  it.each(languages)('has one sentence for each reason in %s, with its values in it', (language) => {
    const sentences = Object.entries(serverTexts[language].unusable)
    const found = sentences.map(([key, text]) => [key, placeholders(text)])
    const wanted = Object.entries(reasons).map(([key, values]) => [key, [...values].toSorted()])
    expect(Object.fromEntries(found)).toEqual(Object.fromEntries(wanted))
  })

  it('is told with its figures as the language writes them, and in English by the error itself', () => {
    const { message, why } = new UnusableFile({ key: 'cutOff', made: 1203.456, declared: 2400 })
    expect(message).toBe('is cut off after 1203.5 s of 2400 s')
    expect(reasonIn('dy', { reason: message, why })).toBe('bricht nach 1203,5 s von 2400 s ab')
    expect(reasonIn('fy', { reason: message, why })).toBe('s’arrête après 1203,5 s sur 2400 s')
  })

  it('is told with what a program said, to the letter', () => {
    const said = quoted('Invalid data in {{width}} $t(faults.broken) & "<b>"\0')
    expect(new UnusableFile({ key: 'converterSays', said }).message).toBe(
      'can’t be converted: Invalid data in {{width}} $t(faults.broken) & "<b>"',
    )
  })

  it('that failed before there were keys is told as it was written, and one that did not is not', () => {
    expect(reasonIn('dy', { reason: 'is damaged', why: null })).toBe('is damaged')
    expect(reasonIn('dy', { reason: null, why: null })).toBeNull()
  })
})
