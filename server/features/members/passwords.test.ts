import { expect, test } from 'vitest'
import { checkPassword, hashPassword, verifyPassword } from './passwords.ts'

test.each([
  ['', 'passwordTooShort'],
  ['7 signs', 'passwordTooShort'],
  ['👩‍💻👩‍💻', 'passwordTooShort'],
  ['x y'.repeat(43), 'passwordTooLong'],
  ['password', 'passwordCommon'],
  ['PassWord1', 'passwordCommon'],
  ['liverpool2024', 'passwordCommon'],
  ['12345678', 'passwordCommon'],
  ['qwertyuiop', 'passwordCommon'],
  ['aaaaaaaaaaaa', 'passwordCommon'],
  ['Motdepasse!', 'passwordCommon'],
])('"%s" is refused: %s', (given, reason) => {
  expect(() => checkPassword(given, 'password')).toThrow(
    expect.objectContaining({ reason, info: { field: 'password' } }),
  )
})

test.each(['8 signs.', '       xy', 'пароль на троих', '😀😁😂🤣😃😄😅😆', `${'long '.repeat(25)}one`])(
  '"%s" may be chosen',
  (given) => expect(() => checkPassword(given, 'password')).not.toThrow(),
)

test('a password is kept as Argon2id with 19 MiB, two rounds, one lane, and known again', async () => {
  const hash = await hashPassword('nine parts of a drama')
  expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  expect(await verifyPassword(hash, 'nine parts of a drama')).toBe(true)
  expect(await verifyPassword(hash, 'Nine parts of a drama')).toBe(false)
})

test('a letter with its accent is the same, typed as one character or as two', async () => {
  expect(await verifyPassword(await hashPassword('caf\u00e9 au lait'), 'cafe\u0301 au lait')).toBe(true)
})

test('without an account no password is right', async () => {
  expect(await verifyPassword(undefined, 'nine parts of a drama')).toBe(false)
  expect(await verifyPassword(null, '')).toBe(false)
})
