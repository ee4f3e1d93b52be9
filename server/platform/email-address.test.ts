import { describe, expect, it } from 'vitest'
import { emailLookupKey, isEmailAddress, normalizeEmail, isSameEmail } from './email-address.ts'

describe('an address', () => {
  it('has a lookup key that is lower-cased character by character', () => {
    expect(emailLookupKey('Ada.ÄÖ@Example.COM')).toBe('ada.äö@example.com')
    expect(emailLookupKey('vİctim@example.com')).toBe('victim@example.com')
  })

  it.each([
    ['ada@xn--exmple-cua.com', 'ada@exämple.com'],
    ['ada@XN--EXMPLE-CUA.com', 'ada@exämple.com'],
    ['a\u0308da@exa\u0308mple.com', 'äda@exämple.com'],
    ['Ada@Example.com', 'Ada@Example.com'],
    ['ada@xn--.com', 'ada@xn--.com'],
    ['äda', 'äda'],
  ])('%s is stored as %s', (text, spelt) => {
    expect(normalizeEmail(text)).toBe(spelt)
    expect(emailLookupKey(text)).toBe(spelt.toLowerCase())
  })

  it('is the same mailbox in upper and lower case, but not with İ instead of i', () => {
    expect(isSameEmail('Ada@example.com', 'ada@EXAMPLE.com')).toBe(true)
    expect(isSameEmail('vİctim@example.com', 'victim@example.com')).toBe(false)
    expect(isSameEmail(null, 'ada@example.com')).toBe(false)
  })
})

describe('recipients', () => {
  it.each(['ada@example.com', 'ada+tag@example.com', "o'neil@example.com", 'ädä@exämple.com'])(
    '%s is an address',
    (text) => expect(isEmailAddress(text)).toBe(true),
  )

  it.each([
    '<v@x>',
    'v@x>',
    'a,b@x',
    'a;b@x',
    'a:b@x',
    'a"b@x',
    'a\\b@x',
    'a(b)@x',
    'a\u200Bb@x',
    'a@x\u200D.example',
    'a@\u202Ex',
    'a\uFE0Fb@x',
    'a\u034Fb@x',
    'a\u3164b@x',
    'a\u115Fb@x',
    'a\u{E0100}b@x',
    'a[b]@x',
    'a b@x',
    'a\u0007b@x',
    'a@b@c',
    '@x',
    'a@',
    'a',
  ])('%s is not an address', (text) => expect(isEmailAddress(text)).toBe(false))
})
