import { createHmac, randomBytes } from 'node:crypto'
import { Secret, TOTP } from 'otpauth'
import { keyOf, decrypt, encrypt } from './encrypt.ts'

/** A TOTP code is valid in its own 30 seconds and the steps before and after: clocks differ, and people are slow. */
const stepSeconds = 30
const window = 1
/** As RFC 4226 advises for HMAC-SHA-1. */
const secretBytes = 20

const recoveryCodes = 10
const recoveryLength = 10
/** 32 signs that look like no other. */
const signs = 'abcdefghijkmnpqrstuvwxyz23456789'

/** What an authenticator app takes: the secret as text, and a link with the names that it shows. */
export interface AppSecret {
  secret: string
  otpauth_url: string
}

/** Makes the secret of an authenticator app. @param names who asks for codes, and for which account */
export function makeAppSecret(names: { issuer: string; label: string }): AppSecret {
  const secret = new Secret({ size: secretBytes }).base32
  return { secret, otpauth_url: totpOf(secret, names).toString() }
}

/** Encrypts an app's secret for the database. @param about whose it is */
export function encryptAppSecret(appSecret: string, secret: string, about: string): Buffer {
  return encrypt(keyOf(appSecret, 'second factor'), secret, about)
}

/**
 * The time step that a code of the app is of, where it is right at `now`. The caller stores the step, so that
 * neither this code nor an earlier one is accepted again.
 */
export function stepOfCode(
  appSecret: string,
  sealed: Buffer,
  about: string,
  code: string,
  now: Date,
): number | undefined {
  const totp = totpOf(decrypt(keyOf(appSecret, 'second factor'), sealed, about))
  const delta = totp.validate({ token: code, timestamp: now.getTime(), window })
  return delta === null ? undefined : Math.floor(now.getTime() / 1000 / stepSeconds) + delta
}

/** A code as somebody typed it, without what makes it easier to read. */
export function typedCode(code: string): { code: string; ofApp: boolean } {
  const typed = code.toLowerCase().replaceAll(/[\s-]/g, '')
  return { code: typed, ofApp: /^\d{6}$/.test(typed) }
}

/** Ten codes, each of ten signs of five bits, in two halves that are easy to copy. */
export function makeRecoveryCodes(): string[] {
  return Array.from({ length: recoveryCodes }, () => {
    const code = Array.from(randomBytes(recoveryLength), (byte) => signs.charAt(byte % signs.length)).join('')
    return `${code.slice(0, recoveryLength / 2)}-${code.slice(recoveryLength / 2)}`
  })
}

/** A recovery code as it is kept. Keyed: fifty bits could be tried through by who has the database alone. */
export function hashRecoveryCode(appSecret: string, about: string, code: string): Buffer {
  const { code: typed } = typedCode(code)
  return createHmac('sha256', keyOf(appSecret, 'recovery code')).update(`${about}|${typed}`).digest()
}

function totpOf(secret: string, names: { issuer?: string; label?: string } = {}): TOTP {
  return new TOTP({ ...names, period: stepSeconds, secret: Secret.fromBase32(secret) })
}
