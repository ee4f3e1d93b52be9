import { htmlLanguage, type Language } from '#contract/languages.ts'

/** A moment as people at a desk read it, to the minute: "21 Nov 2026, 14:05"; a dash where there is none. */
export function timeWords(time: string | null, language: Language): string {
  if (time === null) return '–'
  const options = { dateStyle: 'medium', timeStyle: 'short' } as const
  return new Intl.DateTimeFormat(htmlLanguage[language], options).format(new Date(time))
}
