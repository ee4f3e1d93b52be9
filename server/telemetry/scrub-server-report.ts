import { isIP } from 'node:net'
import { scrubReport } from '#contract/error-reports.ts'
import type { Config } from '#server/platform/config/config.ts'

// Each pattern can match only at a boundary. Otherwise a long partial match would be scanned again from each of its
// characters.
const email = /(?<![^\s"'<>()@:/,;=])[^\s"'<>()@:/,;=]+@[^\s"'<>()@:/,;=]+\.[a-z]{2,}/gi
/** Matches an IPv4 address, or a text that may be an IPv6 address. */
const ip =
  /(?<![\w.:])(?:\d{1,3}(?:\.\d{1,3}){3}|[\da-f]{0,4}(?::[\da-f]{0,4}){2,7}(?:\d{1,3}(?:\.\d{1,3}){3})?)(?![\w:])/gi
const password = /(?<![a-z\d+.-])([a-z\d+.-]+:\/\/[^\s/:@]*):[^\s/@]*@/gi
/** Matches API keys of gateways, and credentials of a header. */
const key = /\b(?:(?:sk|rk|pk)_(?:live|test)_|whsec_)\w+|\b(?:bearer|basic) [\w.~+/=-]+/gi
/** Matches a word, which may be a signed token. */
const word = /[\w.-]+/g

/**
 * Creates the scrubber of this process's reports. In addition to `scrubReport`, which browsers use too, it removes
 * secrets of the settings, tokens, passwords, e-mail and network addresses, at any depth.
 * @param secrets texts that must never leave the process
 */
export function createReportScrubber(secrets: readonly string[]): (report: unknown) => void {
  const scrubText = (text: string) =>
    secrets
      .reduce((shown, secret) => shown.replaceAll(secret, '[secret]'), text)
      .replaceAll(password, '$1:[secret]@')
      .replaceAll(key, '[secret]')
      .replaceAll(word, (found) => (isSignedToken(found) ? '[secret]' : found))
      .replaceAll(email, '[e-mail]')
      .replaceAll(ip, (found) => (isIP(found) ? '[ip]' : found))
  const walk = (value: unknown) => {
    if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return
    const fields = value as Record<string, unknown>
    for (const [name, field] of Object.entries(fields)) {
      if (typeof field === 'string') fields[name] = scrubText(field)
      else walk(field)
    }
  }
  return (report) => {
    walk(report)
    scrubReport(report)
  }
}

/**
 * Returns whether a word contains a signed token: one of its parts before the last dot starts like JSON in base64
 * (`eyJ`).
 */
function isSignedToken(found: string): boolean {
  return found
    .split('.')
    .slice(0, -1)
    .some((part) => /\beyJ/i.test(part))
}

/** Minimum length of a secret that is removed. Shorter ones occur in ordinary text by chance. */
const shortestSecret = 8

/** Returns the secret texts of the settings. */
export function listSecrets({
  secrets,
  databaseUrl,
  databaseDirectUrl,
  databaseReadUrls,
  mail,
  tracking,
  tracing,
}: Config): string[] {
  const passwords = [databaseUrl, databaseDirectUrl, ...databaseReadUrls, mail.smtpUrl].flatMap((url) =>
    url ? passwordsIn(url) : [],
  )
  return [...textsIn(secrets), ...textsIn(tracking.conversions), ...passwords, ...textsIn(tracing)]
    .filter((text) => text.length >= shortestSecret)
    .toSorted((one, other) => other.length - one.length)
}

function passwordsIn(address: string): string[] {
  const { password, searchParams } = new URL(address)
  return [password, decodeURIComponent(password), searchParams.get('password') ?? '']
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(textsIn)
}
