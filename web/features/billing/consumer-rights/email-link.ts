/** The action in the fragment of the member area's address. */
export type EmailLink =
  | { do: 'claim' | 'cancel' | 'withdraw'; secret: string }
  | { do: 'ask'; purpose: 'cancel' | 'withdraw' }

/** Parses the fragment of a link in a mail or the footer; returns null if it names no action. */
export function readEmailLink(hash: string): EmailLink | null {
  if (hash === '#cancel-contract') return { do: 'ask', purpose: 'cancel' }
  if (hash === '#withdraw') return { do: 'ask', purpose: 'withdraw' }
  const given = new URLSearchParams(hash.slice(1))
  for (const name of ['claim', 'cancel', 'withdraw'] as const) {
    const secret = given.get(name)
    if (secret) return { do: name, secret }
  }
  return null
}
