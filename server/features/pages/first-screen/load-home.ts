import type { ResultOf } from '#contract/endpoint.ts'
import type { getHomepage } from '#contract/catalog.ts'
import type { Language } from '#contract/languages.ts'
import { loadHomepage, type Catalog, type Copyright } from '#server/features/catalog/catalog.ts'
import { createResponseCache } from '#server/platform/response-cache.ts'
import type { Clock } from '#server/platform/clock.ts'

export interface HomeContext extends Pick<Catalog, 'readDb'> {
  clock: Clock
  copyright(): Copyright
}

/** Data of the homepage's first screen for new visitors. */
export interface FirstHome {
  language: Language
  homepage: ResultOf<typeof getHomepage>
}

/**
 * Creates a function that loads the homepage in a language, as GET /api/homepage returns it to a new visitor. Without
 * this data in the document, the browser would need three sequential calls. The function returns undefined if the
 * database is down. The browser then calls the API and shows the error.
 */
export function createHomeLoader({ readDb, clock, copyright }: HomeContext) {
  const cache = createResponseCache<FirstHome>(clock, { stale: true })
  const load = async (language: Language) => {
    const { info } = await loadHomepage(readDb, language, copyright())
    return { language, homepage: info }
  }
  return (language: Language): Promise<FirstHome | undefined> =>
    cache.get(language, () => load(language)).catch(() => undefined)
}

/** Returns the address of the first cover on the screen. `large` is true if the carousel shows it. */
export function firstCover({
  homepage: { homepage },
}: FirstHome): { address: string; large: boolean } | undefined {
  const [first] = homepage
  const address = first?.items[0]?.cover_url
  return address ? { address, large: first?.kind === 'carousel' } : undefined
}
