import { bcp47Tags, type Language } from '#contract/languages.ts'

export type Values = Record<string, string | number>
export interface TextTree {
  [key: string]: string | TextTree
}

/**
 * Translates keys into the current language and falls back to English. Keys are dotted. The key of a text with plural
 * forms omits the form, which `count` selects. Written for this site, because a library would be a tenth of what the
 * first screen loads.
 */
export function createTranslator<Key extends string>(language: Language) {
  const texts = new Map<string, string>()
  const rules = new Map<Language, Intl.PluralRules>()
  const listeners = new Set<() => void>()

  function pluralFormOf(language: Language, count: number): string {
    let pluralRules = rules.get(language)
    if (!pluralRules) rules.set(language, (pluralRules = new Intl.PluralRules(bcp47Tags[language])))
    return pluralRules.select(count)
  }

  function find(language: Language, key: string, { count }: Values): string | undefined {
    const fullKey = `${language}.${key}`
    const form =
      count === undefined ? undefined : texts.get(`${fullKey}_${pluralFormOf(language, Number(count))}`)
    return form ?? texts.get(`${fullKey}_other`) ?? texts.get(fullKey)
  }

  function addTree(path: string, tree: TextTree): void {
    for (const [key, value] of Object.entries(tree)) {
      if (typeof value === 'string') texts.set(`${path}.${key}`, value)
      else addTree(`${path}.${key}`, value)
    }
  }

  const translator = {
    language,
    /** Returns a text with its `{{placeholders}}` filled. */
    t: (key: Key, values: Values = {}): string => {
      const text = find(translator.language, key, values) ?? find('en', key, values) ?? key
      return text.replaceAll(/{{(\w+)}}/g, (_, name: string) => String(values[name] ?? ''))
    },
    /** Adds the texts of a part to the existing texts. */
    add: (to: Language, tree: TextTree) => addTree(to, tree),
    setLanguage(chosen: Language): void {
      translator.language = chosen
      for (const listener of listeners) listener()
    },
    /** Calls the listener after each change of language. @returns a function that removes it */
    onChange(listener: () => void): () => void {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
  return translator
}
