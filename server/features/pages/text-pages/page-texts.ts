import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Refusal } from '#contract/errors.ts'
import { languages, type Language } from '#contract/languages.ts'
import { pageNames, type PageName } from '#contract/pages.ts'
import { maxPageTextLength, type PageText } from '#contract/studio/page-texts.ts'
import type { Db, Tx } from '#server/tables.ts'
import { parseMarkdownInThread } from './parse-markdown-in-thread.ts'
import { unsetPlaceholders, type ParsedText, type PlaceholderValues } from './parse-markdown.ts'
import * as queries from '#server/features/pages/page-queries.ts'

/** Identifies a text by its name and language. */
interface PageTextKey {
  name: PageName
  language: Language
}

/** Loads one of the site's texts in a language: the operator's own text, otherwise the built-in text. */
export async function loadPageText(db: Db, { name, language }: PageTextKey): Promise<PageText> {
  const row = await queries.selectText(db, name, language)
  const { markdown, updated_at } = row ?? (await readBuiltInText(name, language))
  const custom = row !== undefined
  const version = createHash('sha256')
    .update(JSON.stringify([custom, markdown]))
    .digest('base64url')
  return { name, language, markdown, custom, updated_at: updated_at.toISOString(), version }
}

/** Lists all texts in all languages, without their content. */
export async function loadPageTexts(
  db: Db,
): Promise<(PageTextKey & { custom: boolean; updated_at: string })[]> {
  const rows = await queries.selectTextDates(db)
  const each = pageNames.flatMap((name) => languages.map((language) => ({ name, language })))
  return Promise.all(
    each.map(async ({ name, language }) => {
      const row = rows.find((each) => each.name === name && each.language === language)
      const { updated_at } = row ?? (await readBuiltInText(name, language))
      return { name, language, custom: row !== undefined, updated_at: updated_at.toISOString() }
    }),
  )
}

const invalid = () => new Refusal('siteTextInvalid', { field: 'markdown' })

/**
 * Renders a text as viewers would see it, and lists its placeholders that have no value.
 * @throws Refusal siteTextInvalid if the text is too long or cannot be parsed
 */
export async function renderPageText(
  markdown: string,
  values: PlaceholderValues,
): Promise<ParsedText & { unset: string[] }> {
  const parsed = markdown.length > maxPageTextLength ? undefined : await parseOrUndefined(markdown, values)
  if (!parsed) throw invalid()
  return { ...parsed, unset: unsetPlaceholders(markdown, values) }
}

/** Errors of the parser's thread for texts that are nested too deeply, take too long or need too much memory. */
const unparsableErrors = new Set(['RangeError', 'DeadlineExceeded', 'ERR_WORKER_OUT_OF_MEMORY'])

/** Parses a text. Returns undefined for the errors in `unparsableErrors`. */
async function parseOrUndefined(
  markdown: string,
  values: PlaceholderValues,
): Promise<ParsedText | undefined> {
  try {
    return await parseMarkdownInThread(markdown, values)
  } catch (error) {
    const kind = error instanceof Error && 'code' in error ? String(error.code) : Object(error).name
    if (unparsableErrors.has(kind)) return undefined
    throw error
  }
}

interface PageTextEdit extends PageTextKey {
  /** The version of the text that the operator has edited. */
  version: string
}

/**
 * Saves the operator's own text for one language.
 * @returns the previous text
 * @throws Refusal editConflict if the text has changed since `version`; siteTextInvalid if the new text has no title,
 * is too long or cannot be parsed
 */
export async function storePageText(
  tx: Tx,
  { name, language, version, markdown }: PageTextEdit & { markdown: string },
  { values, now }: { values: PlaceholderValues; now: Date },
): Promise<PageText> {
  if ((await renderPageText(markdown, values)).title.trim() === '') throw invalid()
  const previous = await lockCurrentVersion(tx, { name, language, version })
  await queries.upsertText(tx, { name, language, markdown, updated_at: now })
  return previous
}

/**
 * Deletes the operator's own text, so that the built-in text applies again.
 * @returns the previous text
 * @throws Refusal editConflict if the text has changed since `version`
 */
export async function restorePageText(tx: Tx, edit: PageTextEdit): Promise<PageText> {
  const previous = await lockCurrentVersion(tx, edit)
  await queries.deleteText(tx, edit.name, edit.language)
  return previous
}

async function lockCurrentVersion(tx: Tx, { version, ...which }: PageTextEdit): Promise<PageText> {
  await queries.lockTexts(tx)
  const before = await loadPageText(tx, which)
  if (before.version !== version) throw new Refusal('editConflict')
  return before
}

interface BuiltInText {
  markdown: string
  updated_at: Date
}

const folder = join(import.meta.dirname, '../texts')

/** Cache of the built-in texts. They are files of this release and do not change, so each is read once. */
const builtInTexts = new Map<string, Promise<BuiltInText>>()

function readBuiltInText(name: PageName, language: Language): Promise<BuiltInText> {
  const file = `${name}.${language}.md`
  const text = builtInTexts.get(file) ?? readFile(join(folder, file), 'utf8').then(splitDate)
  builtInTexts.set(file, text)
  text.catch(() => builtInTexts.delete(file))
  return text
}

/**
 * Separates the date of the last change from the text. The date is the first line of each file: `Updated: 2026-11-21`.
 */
function splitDate(file: string): BuiltInText {
  const [, updated, markdown] = /^Updated: (\d{4}-\d{2}-\d{2})\n([^]*)$/.exec(file) ?? []
  if (!updated || markdown === undefined)
    throw new Error('A built-in text must begin with a line like "Updated: 2026-11-21"')
  return { markdown, updated_at: new Date(updated) }
}
