/** The five languages; `fy` holds French and `dy` German. */
export const languages = ['en', 'es', 'fy', 'dy', 'pt'] as const

export type Language = (typeof languages)[number]
export type Texts = Readonly<Record<Language, string>>

/** A text in English, Spanish, French, German, Portuguese. */
export function t(en: string, es: string, fy: string, dy: string, pt: string): Texts {
  return { en, es, fy, dy, pt }
}
