import type { PageSettings } from '#contract/page-settings.ts'

/** The site's settings, which our own server writes into the document; the card form's document has none. */
export const settings: PageSettings = {
  consent: 'usual',
  ...JSON.parse(globalThis.document?.getElementById('settings')?.textContent ?? 'null'),
}
