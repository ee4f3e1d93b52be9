import type { Language } from '#contract/languages.ts'
import type { TextTree } from './translator.ts'

/** The parts of the texts: `base` for the first screens, and parts that load with other screens. */
export type TextPart =
  | 'base'
  | 'watch'
  | 'account'
  | 'search'
  | 'member-area'
  | 'alerts'
  | 'balance'
  | 'pages'
  | 'notices'
  | 'feedback'

const files = import.meta.glob<TextTree>(['./*/*.json', '!./en/*.json'], { import: 'default' })

/**
 * Loads a part's texts in a language. Returns undefined for English, whose texts are in the code, and after a failed
 * load, so that English is used.
 */
export async function fetchTexts(language: Language, part: TextPart): Promise<TextTree | undefined> {
  const file = files[`./${language}/${part}.json`]
  return file?.().catch(() => undefined)
}
