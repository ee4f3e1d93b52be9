import { bcp47Tags, type Language } from '#contract/languages.ts'
import { escapeMarkup } from './head/build-head.ts'

interface ClosedPageContext {
  operator: { site: string }
  documents: { background(): string }
  translate(language: Language, key: string, values?: Record<string, unknown>): string
}

/**
 * Returns the page that viewers see during maintenance. It loads no other file, because the site serves no files during
 * maintenance.
 */
export function renderMaintenancePage(
  { operator, documents, translate }: ClosedPageContext,
  language: Language,
): string {
  const text = (key: string) => escapeMarkup(translate(language, `closed.${key}`, { site: operator.site }))
  return `<!doctype html><html lang="${bcp47Tags[language]}"><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex">
<title>${text('title')}</title>
<style>body{display:grid;place-content:center;gap:.5rem;min-height:100dvh;margin:0;padding:1.5rem;box-sizing:border-box;background:${documents.background()};color:#f4ece6;font:16px/1.5 system-ui,sans-serif;text-align:center}h1{margin:0;font-size:1.75rem}p{max-width:34rem;margin:0;color:#cbbfb6}</style>
<main><h1>${text('title')}</h1><p>${text('text')}</p></main></html>`
}
