import { consentAnswer } from './consent.ts'
import { settings } from '#web/lib/settings.ts'
import { adClickIds } from './visit-parameters.ts'

/**
 * Returns whether pixels are configured. If they are, the server adds this meta element
 * (server/features/pages/send-document.ts).
 */
const hasPixels = () => document.querySelector('meta[name=pixels]') !== null

/**
 * Returns whether to show the consent banner. It is shown until the user has answered, if the site has pixels, requires
 * consent or knows an ad click id.
 */
export function shouldShowConsentBanner(): boolean {
  if (consentAnswer() !== null) return false
  return settings.consent === 'strict' || hasPixels() || Object.keys(adClickIds()).length > 0
}

/** Reserves space for the consent banner before the first paint, so that nothing moves when it appears (tokens.css). */
export function reserveConsentBanner(open: boolean): void {
  document.documentElement.toggleAttribute('data-consent-bar', open)
}
