import { consentAnswer } from './consent.ts'
import { settings } from '#web/lib/settings.ts'
import { adClickIds } from './visit-parameters.ts'

/** The server adds this meta element on sites with marketing pixels (server/features/pages/send-document.ts). */
const hasPixels = () => document.querySelector('meta[name=pixels]') !== null

/** Returns whether to show the consent bar: only if pixels are configured and the user has not answered yet. */
export function shouldShowConsentBanner(): boolean {
  if (consentAnswer() !== null) return false
  return settings.consent === 'strict' || hasPixels() || Object.keys(adClickIds()).length > 0
}

/** Reserves room for the consent bar from the first paint on, so that nothing moves when it appears (tokens.css). */
export function reserveConsentBanner(open: boolean): void {
  document.documentElement.toggleAttribute('data-consent-bar', open)
}
