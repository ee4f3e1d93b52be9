/** The codes of the five languages. `fy` is French and `dy` is German. */
export const languages = ['en', 'es', 'fy', 'dy', 'pt'] as const

export type Language = (typeof languages)[number]
export type Texts = Readonly<Record<Language, string>>

/** Combines the texts in English, Spanish, French, German and Portuguese. */
export function t(en: string, es: string, fy: string, dy: string, pt: string): Texts {
  return { en, es, fy, dy, pt }
}
