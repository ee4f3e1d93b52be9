import type { FastifyRequest } from 'fastify'
import { firstLanguage, type Language } from '#contract/languages.ts'
import type { Viewer } from './route.ts'

/** Who is asking, and what language they chose once: looked up only where the request itself does not say. */
export interface Asking {
  identify(request: FastifyRequest): Viewer | null | Promise<Viewer | null>
  /** The language kept with a user, or null. */
  storedLanguage(viewer: Viewer): Promise<Language | null>
}

/**
 * The language of an answer (product.md, section 2): the first of `accept-language` that we have, else the user's own,
 * else English. Somebody for whom nothing is kept has no language of their own, so nothing is read for them.
 */
export function languageFor(
  request: FastifyRequest,
  viewer: Viewer | null,
  { storedLanguage }: Pick<Asking, 'storedLanguage'>,
): Language | Promise<Language> {
  const asked = firstLanguage(request.headers['accept-language'])
  if (asked) return asked
  return viewer?.kept ? storedLanguage(viewer).then((stored) => stored ?? 'en') : 'en'
}

/** The language of a refusal, which must be given even where nobody can be looked up. */
export async function languageOfRefusal(request: FastifyRequest, asking: Asking): Promise<Language> {
  const asked = firstLanguage(request.headers['accept-language'])
  if (asked) return asked
  try {
    return await languageFor(request, await asking.identify(request), asking)
  } catch {
    return 'en'
  }
}
