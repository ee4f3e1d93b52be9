import { Refusal } from '#contract/errors.ts'
import type { Language } from '#contract/languages.ts'
import { pageNames, type Page } from '#contract/pages.ts'
import type { OperatorConfig } from '#server/platform/config/read-operator.ts'
import type { Db } from '#server/tables.ts'
import { parseMarkdownInThread } from './parse-markdown-in-thread.ts'
import { parseMarkdown, type PlaceholderValues } from './parse-markdown.ts'
import { loadPageText } from './page-texts.ts'

export interface PageContext {
  db: Db
  operator: OperatorConfig
  publicUrl: string
}

/**
 * Loads one of the site's texts in a language: the operator's own text, otherwise the built-in text. Replaces
 * placeholders by the operator's details.
 * @throws Refusal notFound for an unknown name
 */
export async function loadPage(context: PageContext, name: string, language: Language): Promise<Page> {
  const known = pageNames.find((each) => each === name)
  if (!known) throw new Refusal('notFound')
  const { markdown, custom, updated_at } = await loadPageText(context.db, { name: known, language })
  const values = placeholderValues(context)
  const parsed = custom ? await parseMarkdownInThread(markdown, values) : parseMarkdown(markdown, values)
  return { name: known, ...parsed, updated_at }
}

/** Returns the values of the placeholders in a text. */
export function placeholderValues({ operator, publicUrl }: Omit<PageContext, 'db'>): PlaceholderValues {
  const { site, name, address, email } = operator
  return { site, operator: name, address, contact: email, url: publicUrl }
}
