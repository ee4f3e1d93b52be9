import { describe, expect, it } from 'vitest'
import { languages } from '#contract/languages.ts'
import { serverTexts } from '#server/i18n/translate.ts'
import { truncateMessage, localizeReason, reasons, UnusableFile } from './unusable-file.ts'

const placeholders = (text: string) => [...text.matchAll(/\{\{(\w+)\}\}/g)].map(([, name]) => name).toSorted()

describe('an unusable file', () => {
  it.each(languages)('has a text with its values for each reason in %s', (language) => {
    const sentences = Object.entries(serverTexts[language].unusable)
    const found = sentences.map(([key, text]) => [key, placeholders(text)])
    const expected = Object.entries(reasons).map(([key, values]) => [key, [...values].toSorted()])
    expect(Object.fromEntries(found)).toEqual(Object.fromEntries(expected))
  })

  it('is reported with figures in the format of the language, and in English in the error’s message', () => {
    const { message, reason: reason_details } = new UnusableFile({
      key: 'cutOff',
      made: 1203.456,
      declared: 2400,
    })
    expect(message).toBe('is cut off after 1203.5 s of 2400 s')
    expect(localizeReason('dy', { reason: message, reason_details })).toBe(
      'bricht nach 1203,5 s von 2400 s ab',
    )
    expect(localizeReason('fy', { reason: message, reason_details })).toBe(
      's’arrête après 1203,5 s sur 2400 s',
    )
  })

  it("is reported with a program's literal message", () => {
    const message = truncateMessage('Invalid data in {{width}} $t(faults.internalError) & "<b>"\0')
    expect(new UnusableFile({ key: 'converterSays', said: message }).message).toBe(
      'can’t be converted: Invalid data in {{width}} $t(faults.internalError) & "<b>"',
    )
  })

  it('is reported with its stored text if the reason has no key, and not reported without a reason', () => {
    expect(localizeReason('dy', { reason: 'is damaged', reason_details: null })).toBe('is damaged')
    expect(localizeReason('dy', { reason: null, reason_details: null })).toBeNull()
  })
})
