import { consentAnswer } from './consent.ts'
import { settings } from '#web/lib/settings.ts'
import { adIds } from './visit.ts'

/** The server marks documents of sites with marketing pixels (server/features/pages/give-document.ts). */
const hasPixels = () => document.querySelector('meta[name=pixels]') !== null

/** Whether the consent bar is shown: nothing is asked before the person could be tracked, nor twice. */
export function isConsentOpen(): boolean {
  if (consentAnswer() !== null) return false
  return settings.consent === 'strict' || hasPixels() || Object.keys(adIds()).length > 0
}

/** Keeps room for the consent bar from the first paint on, so that nothing moves when it appears (tokens.css). */
export function reserveConsentBar(open: boolean): void {
  document.documentElement.toggleAttribute('data-consent-bar', open)
}
