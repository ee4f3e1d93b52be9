import type { FastifyRequest } from 'fastify'
import { firstLanguage, keptLanguage, type Language, type OfferedLanguages } from '#contract/languages.ts'
import type { Viewer } from './route.ts'

/** Identifies the caller and their stored language; only called if the request itself names no language. */
export interface Asking {
  identify(request: FastifyRequest): Viewer | null | Promise<Viewer | null>
  /** Languages in which requests to a URL may be answered. */
  offeredLanguages(url: string): OfferedLanguages
  /** The language stored with a user, or null. */
  storedLanguage(viewer: Viewer): Promise<Language | null>
}

/**
 * Returns the language of a response: the first of `accept-language` that is offered, else the user's stored one, else the default.
 * For a guest without a row nothing is read.
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

/** Returns whether the request names an offered language, so that the user's stored one is not needed. */
export function namesLanguage(
  request: FastifyRequest,
  { offeredLanguages }: Pick<Asking, 'offeredLanguages'>,
): boolean {
  return firstLanguage(request.headers['accept-language'], offeredLanguages(request.url)) !== undefined
}

/** Returns the language of an error response, even if the caller cannot be looked up. */
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

/** Returns the language that the request asks for, else the default; for callers that cannot be looked up. */
export function languageOfStranger(
  request: FastifyRequest,
  { offeredLanguages }: Pick<Asking, 'offeredLanguages'>,
): Language {
  const offered = offeredLanguages(request.url)
  return firstLanguage(request.headers['accept-language'], offered) ?? offered[0]
}
