/** The action that the fragment of the member area's address asks for. */
export type EmailLink =
  | { do: 'claim' | 'cancel' | 'withdraw'; secret: string }
  | { do: 'ask'; purpose: 'cancel' | 'withdraw' }

/** Parses the fragment of a mail's or the footer's link; null for the area itself. */
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
