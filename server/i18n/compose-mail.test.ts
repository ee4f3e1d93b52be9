import { describe, expect, it, test } from 'vitest'
import { htmlLanguage, languages } from '#contract/languages.ts'
import { composeMail, mailTexts } from './compose-mail.ts'

const link = 'https://drama.example/individual#verify=a&b"<'

/** Every text of a tree with its place in it. */
function textsOf(value: unknown, place = ''): [string, string][] {
  if (typeof value === 'string') return [[place, value]]
  return Object.entries(Object(value)).flatMap(([key, part]) => textsOf(part, `${place}/${key}`))
}

describe.each(languages)('the mails in %s', (language) => {
  it('are all there, translated', () => {
    const own = textsOf(mailTexts[language])
    const english = new Map(textsOf(mailTexts.en))
    expect(own.map(([place]) => place)).toEqual([...english.keys()])
    expect(own.filter(([, text]) => text.trim() === '')).toEqual([])
    if (language !== 'en') expect(own.filter(([place, text]) => english.get(place) === text)).toEqual([])
  })

  it.each(Object.keys(mailTexts.en.templates))(
    'hold the link as text and HTML, and say their language: %s',
    (name) => {
      const mail = composeMail('Harbour Dramas', name, language, { link })
      expect(mail.lang).toBe(htmlLanguage[language])
      expect(mail.html).toContain(`<html lang="${htmlLanguage[language]}">`)
      expect(mail.text).toContain(link)
      expect(mail.text).toMatch(/Harbour Dramas/)
      expect(mail.html).toContain('>Harbour Dramas</p>')
      expect(mail.html).not.toMatch(/Cliffhanger|{{/)
      expect(mail.html).toContain('href="https://drama.example/individual#verify=a&amp;b&quot;&lt;"')
    },
  )
})

test('an unknown language is answered in English, an unknown mail not at all', () => {
  expect(composeMail('Harbour Dramas', 'verifyEmail', 'xx', { link }).lang).toBe('en')
  expect(() => composeMail('Harbour Dramas', 'toString', 'en', { link })).toThrow('no mail toString')
})
