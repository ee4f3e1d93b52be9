import type { PageSettings } from '#contract/page-settings.ts'

/** The site's settings, which the server embeds in every document. */
export const settings: PageSettings = JSON.parse(
  globalThis.document?.getElementById('settings')?.textContent ?? '{}',
)
