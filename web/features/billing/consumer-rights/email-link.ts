/** The action that is named in the fragment of the member area's URL. */
export type EmailLink =
  | { action: 'claim' | 'cancel' | 'withdraw'; secret: string }
  | { action: 'ask'; purpose: 'cancel' | 'withdraw' }

/** Parses the fragment of a link in a mail or in the footer; returns null if it names no action. */
export function readEmailLink(hash: string): EmailLink | null {
  if (hash === '#cancel-contract') return { action: 'ask', purpose: 'cancel' }
  if (hash === '#withdraw') return { action: 'ask', purpose: 'withdraw' }
  const params = new URLSearchParams(hash.slice(1))
  for (const name of ['claim', 'cancel', 'withdraw'] as const) {
    const secret = params.get(name)
    if (secret) return { action: name, secret }
  }
  return null
}
