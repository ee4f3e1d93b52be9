import { expect, test } from 'vitest'
import { isEmail } from './checks.ts'

test.each(['ada@example.com', '%s is a valid address', "o'neil+tag@example.com"])(
  '%s is an address',
  (text) => expect(isEmail(text)).toBe(true),
)

test.each(['<v@x>', 'v@x>', 'a,b@x', 'a;b@x', 'a@b@c', 'a', '@x', 'a@'])(
  '%s is none, as on the server',
  (text) => expect(isEmail(text)).toBe(false),
)
