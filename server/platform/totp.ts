import { createHmac, randomBytes } from 'node:crypto'
import { Secret, TOTP } from 'otpauth'
import { deriveKey, decrypt, encrypt } from './encrypt.ts'

/** A TOTP code is valid in its 30-second step and the adjacent steps, because clocks differ and typing takes time. */
const stepSeconds = 30
const window = 1
/** Length that RFC 4226 recommends for HMAC-SHA-1. */
const secretBytes = 20

const recoveryCodes = 10
const recoveryLength = 10
/** 32 characters that are hard to confuse. */
const recoveryAlphabet = 'abcdefghijkmnpqrstuvwxyz23456789'

/** The enrolment of an authenticator app: the secret as text, and a link with the names that the app shows. */
export interface TotpEnrolment {
  secret: string
  otpauth_url: string
}

/** Generates the secret of an authenticator app. @param names the issuer and the account */
export function createTotpEnrolment(names: { issuer: string; label: string }): TotpEnrolment {
  const secret = new Secret({ size: secretBytes }).base32
  return { secret, otpauth_url: totpOf(secret, names).toString() }
}

/**
 * Encrypts an app's secret for the database.
 * @param owner the id of the member or operator, which decryption requires
 */
export function encryptTotpSecret(appSecret: string, secret: string, owner: string): Buffer {
  return encrypt(deriveKey(appSecret, 'second factor'), secret, owner)
}

/**
 * Returns the time step of a valid code at `now`. The caller stores the step, so that neither this code nor an earlier
 * one is accepted again.
 */
export function findCodeStep(
  appSecret: string,
  encryptedSecret: Buffer,
  owner: string,
  code: string,
  now: Date,
): number | undefined {
  const totp = totpOf(decrypt(deriveKey(appSecret, 'second factor'), encryptedSecret, owner))
  const delta = totp.validate({ token: code, timestamp: now.getTime(), window })
  return delta === null ? undefined : Math.floor(now.getTime() / 1000 / stepSeconds) + delta
}

/** Normalises a typed code: lower case, without spaces and hyphens. */
export function normalizeCode(code: string): { code: string; isAppCode: boolean } {
  const typed = code.toLowerCase().replaceAll(/[\s-]/g, '')
  return { code: typed, isAppCode: /^\d{6}$/.test(typed) }
}

/** Generates ten codes. Each has ten characters of five bits, in two halves with a hyphen between them. */
export function makeRecoveryCodes(): string[] {
  return Array.from({ length: recoveryCodes }, () => {
    const code = Array.from(randomBytes(recoveryLength), (byte) =>
      recoveryAlphabet.charAt(byte % recoveryAlphabet.length),
    ).join('')
    return `${code.slice(0, recoveryLength / 2)}-${code.slice(recoveryLength / 2)}`
  })
}

/**
 * Hashes a recovery code for storage. The hash is keyed: otherwise a copy of the database would be enough to find the
 * code's fifty bits by brute force.
 */
export function hashRecoveryCode(appSecret: string, owner: string, code: string): Buffer {
  const { code: typed } = normalizeCode(code)
  return createHmac('sha256', deriveKey(appSecret, 'recovery code')).update(`${owner}|${typed}`).digest()
}

function totpOf(secret: string, names: { issuer?: string; label?: string } = {}): TOTP {
  return new TOTP({ ...names, period: stepSeconds, secret: Secret.fromBase32(secret) })
}
