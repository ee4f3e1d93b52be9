import type { FastifyRequest } from 'fastify'
import {
  acceptedLanguage,
  storedLanguageOrDefault,
  type Language,
  type OfferedLanguages,
} from '#contract/languages.ts'
import type { Viewer } from './route.ts'

/**
 * The sources of the language of a response. The caller and the stored language are looked up only if the request names
 * no offered language.
 */
export interface LanguageSource {
  identify(request: FastifyRequest): Viewer | null | Promise<Viewer | null>
  /** Languages in which requests to a URL may be answered. */
  offeredLanguages(url: string): OfferedLanguages
  /** The language stored with a user, or null. */
  storedLanguage(viewer: Viewer): Promise<Language | null>
}

/**
 * Returns the language of a response: the first offered language of `accept-language`, else the user's stored language,
 * else the default. Reads nothing for a guest without a row.
 */
export function responseLanguage(
  request: FastifyRequest,
  viewer: Viewer | null,
  { storedLanguage, offeredLanguages }: Pick<LanguageSource, 'storedLanguage' | 'offeredLanguages'>,
): Language | Promise<Language> {
  const offered = offeredLanguages(request.url)
  const accepted = acceptedLanguage(request.headers['accept-language'], offered)
  if (accepted) return accepted
  if (!viewer?.isStored) return offered[0]
  return storedLanguage(viewer).then((stored) => storedLanguageOrDefault(stored, offered))
}

/** Returns whether the request names an offered language, so that the user's stored language is not needed. */
export function hasAcceptedLanguage(
  request: FastifyRequest,
  { offeredLanguages }: Pick<LanguageSource, 'offeredLanguages'>,
): boolean {
  return acceptedLanguage(request.headers['accept-language'], offeredLanguages(request.url)) !== undefined
}

/** Returns the language of an error response, even if the caller cannot be looked up. */
export async function errorLanguage(request: FastifyRequest, source: LanguageSource): Promise<Language> {
  const offered = source.offeredLanguages(request.url)
  const accepted = acceptedLanguage(request.headers['accept-language'], offered)
  if (accepted) return accepted
  try {
    return await responseLanguage(request, await source.identify(request), source)
  } catch {
    return offered[0]
  }
}

/** Returns the language that the request asks for, else the default; for callers that cannot be looked up. */
export function requestLanguage(
  request: FastifyRequest,
  { offeredLanguages }: Pick<LanguageSource, 'offeredLanguages'>,
): Language {
  const offered = offeredLanguages(request.url)
  return acceptedLanguage(request.headers['accept-language'], offered) ?? offered[0]
}
