/** The five languages; `fy` is French and `dy` German. */
export const languages = ['en', 'es', 'fy', 'dy', 'pt'] as const

export type Language = (typeof languages)[number]
export type Texts = Readonly<Record<Language, string>>

/** Returns a text in English, Spanish, French, German and Portuguese. */
export function t(en: string, es: string, fy: string, dy: string, pt: string): Texts {
  return { en, es, fy, dy, pt }
}
