import { socialSignInOutcomes, type SocialSignInOutcome } from '#contract/social.ts'
import { tabStorage } from '#web/lib/storage.ts'

/**
 * The outcome of a social sign-in. It is in the URL of /login or, after an attempt to link an account, of /individual.
 */
export interface SocialReturn {
  answer: SocialSignInOutcome
  provider: string
  returnTo: string | null
  /** For the outcome `second_factor`: the ticket to send with the authenticator code. */
  ticket: string | null
}

/** Reads the outcome from a URL; returns null if the user does not return from a provider. */
export function readSocialReturn(search: string, hash: string): SocialReturn | null {
  const query = new URLSearchParams(search)
  const answer = socialSignInOutcomes.find((known) => known === query.get('social'))
  if (!answer) return null
  return {
    answer,
    provider: query.get('provider') ?? '',
    returnTo: query.get('return_to'),
    ticket: new URLSearchParams(hash.slice(1)).get('ticket'),
  }
}

/**
 * Returns the URL that starts a provider's sign-in.
 * @param returnTo a path of this site that is opened after the sign-in
 */
export function socialSignInUrl(provider: string, returnTo: string | null): string {
  const query = returnTo ? `?${new URLSearchParams({ return_to: returnTo }).toString()}` : ''
  return `/api/user/social/${encodeURIComponent(provider)}${query}`
}

const key = 'stored_fragment'

/**
 * Stores in this tab the fragment of the page to return to. Called before a visit to a provider. The fragment of a
 * mail's link contains a secret, which must not be sent to any server.
 */
export function storeFragment(path: string | undefined): void {
  const fragment = path?.match(/#.*/)?.[0]
  if (fragment) tabStorage.set(key, fragment)
}

/** Returns the stored fragment, for a page that was opened without a fragment. */
export const storedFragment = () => tabStorage.get(key)

/** Deletes the stored fragment. Called by the page that has used it. */
export const deleteStoredFragment = () => tabStorage.remove(key)
