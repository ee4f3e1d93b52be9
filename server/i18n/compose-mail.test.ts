import { describe, expect, it, test } from 'vitest'
import { bcp47Tags, languages } from '#contract/languages.ts'
import { composeMail } from './compose-mail.ts'
import { mailTexts } from './mail-texts.ts'

const link = 'https://drama.example/individual#verify=a&b"<'
const values = {
  plan: 'Monthly & more',
  amount: '$9.99',
  date: '1 March 2026',
  order: 'ord_7f3a29c011b4d02f5ac1f00d5eedbabe',
  days: '30',
  by: 'eva@example.com',
  why: 'This order was paid twice.',
  title: 'Salt & Sea',
  number: '7',
  count: '3',
  stop: 'https://drama.example/my#alerts=usr_1.x',
}
const placeholders = (texts: [string, string][]) =>
  texts.map(([place, text]) => [place, (text.match(/\{\{\w+\}\}/g) ?? []).toSorted().join()])

/** Returns every text of a tree, with its path. */
function textsOf(value: unknown, place = ''): [string, string][] {
  if (typeof value === 'string') return [[place, value]]
  return Object.entries(Object(value)).flatMap(([key, part]) => textsOf(part, `${place}/${key}`))
}

describe.each(languages)('the mails in %s', (language) => {
  it('are complete and translated', () => {
    const own = textsOf(mailTexts[language])
    const english = new Map(textsOf(mailTexts.en))
    expect(own.map(([place]) => place)).toEqual([...english.keys()])
    expect(own.filter(([, text]) => text.trim() === '')).toEqual([])
    expect(placeholders(own)).toEqual(placeholders([...english]))
    if (language !== 'en') expect(own.filter(([place, text]) => english.get(place) === text)).toEqual([])
  })

  it.each(Object.keys(mailTexts.en.templates))(
    'contain the link as text and HTML, and state their language: %s',
    (name) => {
      const mail = composeMail('Harbour Dramas', name, language, { link, ...values })
      expect(mail.lang).toBe(bcp47Tags[language])
      expect(mail.html).toContain(`<html lang="${bcp47Tags[language]}">`)
      expect(mail.text).toContain(link)
      expect(mail.text).toMatch(/Harbour Dramas/)
      expect(mail.html).toContain('>Harbour Dramas</p>')
      expect(mail.html).not.toMatch(/Cliffhanger|{{/)
      expect(mail.html).toContain('href="https://drama.example/individual#verify=a&amp;b&quot;&lt;"')
    },
  )
})

test('a mail in an unknown language is composed in English, and an unknown template is an error', () => {
  expect(composeMail('Harbour Dramas', 'verifyEmail', 'xx', { link }).lang).toBe('en')
  expect(() => composeMail('Harbour Dramas', 'toString', 'en', { link })).toThrow('no mail toString')
})

test('a URL at the end of a line is a link in HTML', () => {
  const mail = composeMail('Harbour Dramas', 'newEpisode', 'en', { link, ...values })
  expect(mail.html).toContain(`Turn them off: <a href="${values.stop}">${values.stop}</a></p>`)
})

test('a mail contains its values, escaped in HTML, and a missing value is an error', () => {
  const mail = composeMail('Harbour Dramas', 'renewalFailed', 'en', { link, ...values })
  expect(mail.text).toContain('We couldn’t charge $9.99 for your plan “Monthly & more”.')
  expect(mail.html).toContain('“Monthly &amp; more”')
  expect(() => composeMail('Harbour Dramas', 'renewalFailed', 'en', { link })).toThrow(
    'lacks the value amount',
  )
})

describe.each(languages)('a receipt in %s', (language) => {
  const receipt = {
    order: 'ord_7f3a29c011b4d02f5ac1f00d5eedbabe',
    kind: 'plan',
    title: '',
    number: '',
    plan: 'Monthly & more',
    days: '30',
    date: '1 March 2026',
    until: '31 March 2026',
    net: '$8.39',
    tax: '$1.60',
    rate: '19%',
    total: '$9.99',
    seller: 'Harbour <Dramas>',
    address: '1 Quay',
    taxNumber: '',
    renewed: '',
    renewsOn: '31 March 2026',
    renewPrice: '$9.99',
    renewDays: '30',
    withdrawUntil: '15 March 2026',
    atOnce: '',
    area: 'https://drama.example/my',
    cancel: 'https://drama.example/my#cancel=a&b',
    withdraw: 'https://drama.example/my#withdraw',
    claim: 'https://drama.example/my#claim=c',
  }

  it('contains its values as text and as HTML, and omits parts that do not apply', () => {
    const { subject, text, html, link } = composeMail('Harbour Dramas', 'receipt', language, receipt)
    expect(subject).toContain('Monthly & more')
    expect(link).toBe(receipt.claim)
    for (const expected of [
      'CH-1ZKM-AE02-6TD0',
      '$8.39',
      '$1.60',
      '19%',
      receipt.cancel,
      receipt.withdraw,
      receipt.claim,
    ])
      expect(text).toContain(expected)
    expect(html).toContain('Harbour &lt;Dramas&gt;, 1 Quay</td>')
    expect(html).toContain('href="https://drama.example/my#cancel=a&amp;b"')
    expect(`${text}${html}`).not.toMatch(/{{|undefined/)
    expect(text).not.toContain(mailTexts[language].receipt.taxNumber)
    const over = composeMail('Harbour Dramas', 'receipt', language, { ...receipt, cancel: '', renewsOn: '' })
    expect(over.text).not.toContain('#cancel')
    expect(over.text).toContain(mailTexts[language].receipt.ends)
  })
})

test('a receipt that lacks a value is not composed', () => {
  expect(() => composeMail('Harbour Dramas', 'receipt', 'en', { kind: 'plan' })).toThrow(
    'lacks the value plan',
  )
})

test.each([
  ['en', 'every day', 'every 7 days', '1 day', '7 days'],
  ['dy', 'jeden Tag', 'alle 7 Tage', '1 Tag', '7 Tage'],
  ['fy', 'chaque jour', 'tous les 7 jours', '1 jour', '7 jours'],
  ['es', 'cada día', 'cada 7 días', '1 día', '7 días'],
  ['pt', 'todos os dias', 'a cada 7 dias', '1 dia', '7 dias'],
] as const)(
  'a mail in %s uses the correct words for a period of one day and of 7 days',
  (language, every1, every7, one, several) => {
    const mail = (name: string, days: string) =>
      composeMail('Harbour Dramas', name, language, { link, ...values, days }).text.replaceAll('\u00a0', ' ')
    expect(mail('priceRises', '1')).toMatch(new RegExp(` ${every1}[ ,]`))
    expect(mail('priceRises', '7')).toMatch(new RegExp(` ${every7}[ ,]`))
    expect(mail('yearlyRenews', '1')).toMatch(new RegExp(`[^0-9]${one}[^a-zí]`))
    expect(mail('yearlyRenews', '7')).toContain(several)
  },
)

test('a French mail has a space before a colon, and an English mail has none', () => {
  const text = (language: string) => composeMail('Harbour Dramas', 'verifyEmail', language, { link }).text
  expect(text('fy')).toContain('Confirmer l’adresse\u00a0:\nhttps')
  expect(text('en')).toMatch(/[a-z]:\nhttps/)
})
