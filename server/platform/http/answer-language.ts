import type { FastifyRequest } from 'fastify'
import { firstLanguage, keptLanguage, type Language, type OfferedLanguages } from '#contract/languages.ts'
import type { Viewer } from './route.ts'

/** Who is asking, and what language they chose once: looked up only where the request itself does not say. */
export interface Asking {
  identify(request: FastifyRequest): Viewer | null | Promise<Viewer | null>
  /** The languages that requests to an address may be answered in. */
  offeredLanguages(url: string): OfferedLanguages
  /** The language kept with a user, or null. */
  storedLanguage(viewer: Viewer): Promise<Language | null>
}

/**
 * The language of an answer (product.md, section 2): the first of `accept-language` that is offered, else the user's own,
 * else the default. Somebody for whom nothing is kept has no language of their own, so nothing is read for them.
 */
export function languageFor(
  request: FastifyRequest,
  viewer: Viewer | null,
  { storedLanguage, offeredLanguages }: Pick<Asking, 'storedLanguage' | 'offeredLanguages'>,
): Language | Promise<Language> {
  const offered = offeredLanguages(request.url)
  const asked = firstLanguage(request.headers['accept-language'], offered)
  if (asked) return asked
  if (!viewer?.kept) return offered[0]
  return storedLanguage(viewer).then((stored) => keptLanguage(stored, offered))
}

/** Whether the request names a language that is offered, so that a user's own is not looked up. */
export function namesLanguage(
  request: FastifyRequest,
  { offeredLanguages }: Pick<Asking, 'offeredLanguages'>,
): boolean {
  return firstLanguage(request.headers['accept-language'], offeredLanguages(request.url)) !== undefined
}

/** The language of a refusal, which is needed even if the caller cannot be looked up. */
export async function languageOfRefusal(request: FastifyRequest, asking: Asking): Promise<Language> {
  const offered = asking.offeredLanguages(request.url)
  const asked = firstLanguage(request.headers['accept-language'], offered)
  if (asked) return asked
  try {
    return await languageFor(request, await asking.identify(request), asking)
  } catch {
    return offered[0]
  }
}

/** The language that the request asks for, else the default; for callers that cannot be looked up. */
export function languageOfStranger(
  request: FastifyRequest,
  { offeredLanguages }: Pick<Asking, 'offeredLanguages'>,
): Language {
  const offered = offeredLanguages(request.url)
  return firstLanguage(request.headers['accept-language'], offered) ?? offered[0]
}
