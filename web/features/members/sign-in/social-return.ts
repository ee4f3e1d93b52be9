import { socialSignInOutcomes, type SocialSignInOutcome } from '#contract/social.ts'
import { tabStorage } from '#web/lib/storage.ts'

/** The outcome of a social sign-in, from the URL of /login. */
export interface SocialReturn {
  answer: SocialSignInOutcome
  provider: string
  returnTo: string | null
  /** With `second_factor`: the ticket that is sent with the account's code. */
  ticket: string | null
}

/** Parses the URL; returns null if it is not a provider's response. */
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

/** Returns the URL that starts a provider's sign-in and then returns to `returnTo`, a path of this site. */
export function socialSignInUrl(provider: string, returnTo: string | null): string {
  const query = returnTo ? `?${new URLSearchParams({ return_to: returnTo }).toString()}` : ''
  return `/api/user/social/${encodeURIComponent(provider)}${query}`
}

const key = 'stored_fragment'

/**
 * Stores the fragment of the page that follows the sign-in, in this tab, during the visit to a provider. A mail's link has its
 * secret there, which no server may receive.
 */
export function storeFragment(path: string | undefined): void {
  const fragment = path?.match(/#.*/)?.[0]
  if (fragment) tabStorage.set(key, fragment)
}

/** Returns the stored fragment, for a page that is opened without it. */
export const storedFragment = () => tabStorage.get(key)

/** Deletes the stored fragment; called by the page that it belongs to. */
export const deleteStoredFragment = () => tabStorage.remove(key)
