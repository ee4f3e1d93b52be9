import { expect, test } from 'vitest'
import { checkEmail } from './check-profile.ts'

const refused = expect.objectContaining({ reason: 'emailInvalid', info: { field: 'email' } })

test.each([
  '<v@x>',
  'v@x>',
  'a,b@x',
  'a;b@x',
  '"a"@x',
  'a\\b@x',
  'a@b@c',
  'a\u0000@x',
  'a\u200Bb@x',
  'a@x\u200D.example',
  'a\u00ADb@x',
  'a@\u202Ex',
  `${'a'.repeat(254)}@x`,
])('the address %s is refused', (email) => expect(() => checkEmail(email)).toThrow(refused))

test.each(['ada@example.com', "o'neil+tag@example.com", 'ädä@exämple.com', `${'a'.repeat(252)}@x`])(
  'the address %s is accepted',
  (email) => expect(() => checkEmail(email)).not.toThrow(),
)
