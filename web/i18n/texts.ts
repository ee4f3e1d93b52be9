import type { Language } from '#contract/languages.ts'
import type { TextTree } from './translator.ts'

/** What the first screens say, and what others bring along when they are opened. */
export type TextPart =
  | 'base'
  | 'watch'
  | 'account'
  | 'search'
  | 'mine'
  | 'alerts'
  | 'balance'
  | 'pages'
  | 'later'
  | 'feedback'

const files = import.meta.glob<TextTree>(['./*/*.json', '!./en/*.json'], { import: 'default' })

/**
 * The texts of a part in a language. Undefined for English, which each part carries itself, and where they could not
 * be fetched: English stands in.
 */
export async function fetchTexts(language: Language, part: TextPart): Promise<TextTree | undefined> {
  const file = files[`./${language}/${part}.json`]
  return file?.().catch(() => undefined)
}
