import { verifyMediaUrl, signMediaUrl } from '#server/features/media/signed-urls.ts'

export const now = new Date('2026-03-01T12:00:00.250Z')
export const secrets = ['the new secret of links to media', 'the old secret of links to media']
const asset = 'ast_0123456789abcdef0123456789abcdef'
const seconds = (offset: number) => new Date(now.getTime() + 1000 * offset)

/** A signature and the site's result for it. Other implementations of the check must return the same result. */
export interface SignedUrlCase {
  what: string
  signature: string
  asset: string
  expected: ReturnType<typeof verifyMediaUrl>
}

/** Returns valid and invalid signatures of every known kind. */
export function signedUrlCases(): SignedUrlCase[] {
  const signature = signMediaUrl(secrets, asset, 'usr_1', seconds(600))
  const [expires = '', subject = '', mac = ''] = signature.split('.')
  const last = mac.endsWith('A') ? 'B' : 'A'
  const signatures: Record<string, [signature: string, asset?: string]> = {
    'a valid signature': [signature],
    'a signature for any subject': [signMediaUrl(secrets, asset, 'anybody', seconds(600))],
    'the previous secret': [signMediaUrl(secrets.slice(1), asset, 'usr_1', seconds(600))],
    'another secret': [signMediaUrl(['another secret'], asset, 'usr_1', seconds(600))],
    'an empty secret': [signMediaUrl([''], asset, 'usr_1', seconds(600))],
    'expiry in this second': [signMediaUrl(secrets, asset, 'usr_1', seconds(0))],
    'expiry in the next second': [signMediaUrl(secrets, asset, 'usr_1', seconds(1))],
    'a past expiry': [signMediaUrl(secrets, asset, 'usr_1', seconds(-1))],
    'another asset': [signature, 'ast_f'],
    'another subject': [`${expires}.usr_2.${mac}`],
    'no subject': [`${expires}..${mac}`],
    'a later expiry': [`${Number(expires) + 1}.${subject}.${mac}`],
    'an expiry with a leading zero': [`0${expires}.${subject}.${mac}`],
    'an expiry with an exponent': [`9e9.${subject}.${mac}`],
    'an additional part': [`${signature}.`],
    'the signature twice': [`${signature}.${mac}`],
    'a missing part': [`${expires}.${mac}`],
    'no signature': [`${expires}.${subject}.`],
    'half a signature': [`${expires}.${subject}.${mac.slice(0, 20)}`],
    'a longer signature': [`${signature}A`],
    padding: [`${signature}=`],
    'a padding bit set': [`${expires}.${subject}.${mac.slice(0, -1)}${nextLetter(mac)}`],
    'another last letter': [`${expires}.${subject}.${mac.slice(0, -1)}${last}`],
    'standard base64': [
      `${expires}.${subject}.${mac.replaceAll('-', '+').replaceAll('_', ' ')}`.replace(
        mac,
        `+${mac.slice(1)}`,
      ),
    ],
    'letters beyond ASCII': [`${expires}.${subject}.${'é'.repeat(43)}`],
    nothing: ['-'],
    dots: ['..'],
  }
  return Object.entries(signatures).map(([what, [each, of = asset]]) => ({
    what,
    signature: each,
    asset: of,
    expected: verifyMediaUrl(secrets, each, of, now),
  }))
}

/** Sets a padding bit in the last of the 43 letters, which encodes four bits of the hash and two padding bits. */
function nextLetter(mac: string): string {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  return letters[letters.indexOf(mac.slice(-1)) + 1] ?? 'B'
}
