import { verifyMediaUrl, signMediaUrl } from '#server/features/media/signed-urls.ts'

export const now = new Date('2026-03-01T12:00:00.250Z')
export const secrets = ['the new secret of links to media', 'the old secret of links to media']
const asset = 'ast_0123456789abcdef0123456789abcdef'
const seconds = (later: number) => new Date(now.getTime() + 1000 * later)

/** A signature with the site's result, which other implementations of the check must return too. */
export interface SignedUrlCase {
  what: string
  pass: string
  asset: string
  verdict: ReturnType<typeof verifyMediaUrl>
}

/** Returns valid and invalid signatures of every known kind. */
export function signedUrlCases(): SignedUrlCase[] {
  const pass = signMediaUrl(secrets, asset, 'usr_1', seconds(600))
  const [expires = '', subject = '', mac = ''] = pass.split('.')
  const last = mac.endsWith('A') ? 'B' : 'A'
  const given: Record<string, [pass: string, asset?: string]> = {
    'one of ours': [pass],
    'one for anybody': [signMediaUrl(secrets, asset, 'anybody', seconds(600))],
    'one by the former secret': [signMediaUrl(secrets.slice(1), asset, 'usr_1', seconds(600))],
    'one by another secret': [signMediaUrl(['another secret'], asset, 'usr_1', seconds(600))],
    'one by an empty secret': [signMediaUrl([''], asset, 'usr_1', seconds(600))],
    'one that ends in this second': [signMediaUrl(secrets, asset, 'usr_1', seconds(0))],
    'one that ends in the next': [signMediaUrl(secrets, asset, 'usr_1', seconds(1))],
    'one that ended': [signMediaUrl(secrets, asset, 'usr_1', seconds(-1))],
    'another asset': [pass, 'ast_f'],
    'another subject': [`${expires}.usr_2.${mac}`],
    'no subject': [`${expires}..${mac}`],
    'a later end': [`${Number(expires) + 1}.${subject}.${mac}`],
    'an end that is written otherwise': [`0${expires}.${subject}.${mac}`],
    'an end in the exponent': [`9e9.${subject}.${mac}`],
    'a part too many': [`${pass}.`],
    'the signature twice': [`${pass}.${mac}`],
    'a part too few': [`${expires}.${mac}`],
    'no signature': [`${expires}.${subject}.`],
    'half a signature': [`${expires}.${subject}.${mac.slice(0, 20)}`],
    'a signature with more': [`${pass}A`],
    padding: [`${pass}=`],
    'a spare bit set': [`${expires}.${subject}.${mac.slice(0, -1)}${nextLetter(mac)}`],
    'another last letter': [`${expires}.${subject}.${mac.slice(0, -1)}${last}`],
    'the other base64': [
      `${expires}.${subject}.${mac.replaceAll('-', '+').replaceAll('_', ' ')}`.replace(
        mac,
        `+${mac.slice(1)}`,
      ),
    ],
    'letters beyond ASCII': [`${expires}.${subject}.${'é'.repeat(43)}`],
    nothing: ['-'],
    dots: ['..'],
  }
  return Object.entries(given).map(([what, [each, of = asset]]) => ({
    what,
    pass: each,
    asset: of,
    verdict: verifyMediaUrl(secrets, each, of, now),
  }))
}

/** Changes the last of 43 letters, which encodes four bits and two padding bits, so that the padding is not 0. */
function nextLetter(mac: string): string {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  return letters[letters.indexOf(mac.slice(-1)) + 1] ?? 'B'
}
