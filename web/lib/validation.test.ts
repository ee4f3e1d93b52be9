import { expect, test } from 'vitest'
import { isEmail } from './validation.ts'

test.each(['ada@example.com', ' ada@example.com ', "o'neil+tag@example.com"])(
  '%s is a valid address',
  (text) => expect(isEmail(text)).toBe(true),
)

test.each(['<v@x>', 'v@x>', 'a,b@x', 'a;b@x', 'a@b@c', 'a', '@x', 'a@'])(
  '%s is invalid, as on the server',
  (text) => expect(isEmail(text)).toBe(false),
)
