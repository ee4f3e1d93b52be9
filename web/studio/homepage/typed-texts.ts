import type { SiteText } from '#contract/studio/texts.ts'

interface Typed {
  /** The text that it was begun on. */
  base: SiteText
  markdown: string
}

const typed = new Map<string, Typed>()
const keyOf = ({ name, language }: SiteText) => `${name} ${language}`

const askFirst = (event: Event) => event.preventDefault()

/** What was typed and not saved, also after another screen was open; with nothing it is forgotten. The browser asks before it is lost. */
export function keepTyped(base: SiteText, markdown: string | undefined): void {
  if (markdown === undefined) typed.delete(keyOf(base))
  else typed.set(keyOf(base), { base, markdown })
  if (typed.size > 0) addEventListener('beforeunload', askFirst)
  else removeEventListener('beforeunload', askFirst)
}

export const typedBefore = (text: SiteText): Typed | undefined => typed.get(keyOf(text))
