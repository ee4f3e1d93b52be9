import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Refusal } from '#contract/errors.ts'
import { inLanguage, type Language, type Texts } from '#contract/languages.ts'
import { pageNames, type Page, type PageName } from '#contract/pages.ts'
import { readSetting } from '#server/features/catalog/catalog.ts'
import type { OperatorConfig } from '#server/platform/read-operator.ts'
import type { Db } from '#server/tables.ts'
import { parseMarkdown } from './parse-markdown.ts'

/** An operator's own text, in the setting `page:<name>`; it stands for ours in every language. */
interface OwnText {
  markdown: Texts
  /** RFC 3339. */
  updated_at: string
}

export interface PageContext {
  db: Db
  operator: OperatorConfig
  publicUrl: string
}

const folder = join(import.meta.dirname, 'texts')

/**
 * One of the site's texts in a language: the operator's own, else ours, with whose site it is filled in.
 * @throws Refusal notFound for a name that is none of theirs
 */
export async function loadPage(context: PageContext, name: string, language: Language): Promise<Page> {
  const known = pageNames.find((each) => each === name)
  if (!known) throw new Refusal('notFound')
  const own = await readSetting<OwnText>(context.db, `page:${known}`)
  const text = own
    ? { markdown: inLanguage(own.markdown, language), updated: own.updated_at }
    : await readText(known, language)
  const { site, name: operator, address, email: contact } = context.operator
  const values = { site, operator, address, contact, url: context.publicUrl }
  const updatedAt = new Date(text.updated).toISOString()
  return { name: known, ...parseMarkdown(text.markdown, values), updated_at: updatedAt }
}

/** The texts that come with the site; they are files of this release, so each is read once. */
const texts = new Map<string, Promise<{ markdown: string; updated: string }>>()

function readText(name: PageName, language: Language): Promise<{ markdown: string; updated: string }> {
  const file = `${name}.${language}.md`
  const text = texts.get(file) ?? readFile(join(folder, file), 'utf8').then(takeDate)
  texts.set(file, text)
  text.catch(() => texts.delete(file))
  return text
}

/** The first line of a file says when its text was last changed: `Updated: 2026-11-21`. */
function takeDate(file: string): { markdown: string; updated: string } {
  const [, updated, markdown] = /^Updated: (\d{4}-\d{2}-\d{2})\n([^]*)$/.exec(file) ?? []
  if (!updated || markdown === undefined) throw new Error('A text does not begin with its date')
  return { markdown, updated }
}
