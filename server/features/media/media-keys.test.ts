import { expect, test } from 'vitest'
import { createMediaKeys, keyUri } from './media-keys.ts'

const keys = createMediaKeys('a secret of the tests', true)

test('a key is sixteen random bytes, as AES-128 requires', () => {
  expect(keys.generate()).toHaveLength(16)
  expect(keys.generate()).not.toEqual(keys.generate())
})

test('an encrypted key can be decrypted only for its folder and with its secret', () => {
  const key = keys.generate()
  const encrypted = keys.encrypt('ast_1-1', key)
  expect(encrypted.includes(key)).toBe(false)
  expect(keys.decrypt('ast_1-1', encrypted)).toEqual(key)
  expect(() => keys.decrypt('ast_2-1', encrypted)).toThrow()
  expect(() => createMediaKeys('another secret', true).decrypt('ast_1-1', encrypted)).toThrow()
})

test('an encrypted key can be decrypted after a restart, even if new media is no longer encrypted', () => {
  const key = keys.generate()
  const restarted = createMediaKeys('a secret of the tests', false)
  expect(restarted.decrypt('ast_1-1', keys.encrypt('ast_1-1', key))).toEqual(key)
  expect([keys.encrypts, restarted.encrypts]).toEqual([true, false])
})

test('a playlist refers to the key beside the folders of its renditions', () => {
  expect(new URL(keyUri, 'https://drama.example/media/signature/place/v0/index.m3u8').pathname).toBe(
    '/media/signature/place/key',
  )
})

/**
 * A key that an earlier release encrypted. If the derivation of the secret or the encoding changed, every stored key
 * would be unreadable.
 */
const encryptedByEarlierRelease = 'D+Zd77zlTsx5xk9sWiQ65454BqiglG4D8mN5SNd6SFMoqu6VRcLd7d4fyNrxUux5G4OScg=='

test('a key that an earlier release encrypted can be decrypted', () => {
  expect(keys.decrypt('ast_1-1', Buffer.from(encryptedByEarlierRelease, 'base64')).toString()).toBe(
    'sixteen bytes!!!',
  )
})
