import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Refusal } from '#contract/errors.ts'
import { languages, type Language } from '#contract/languages.ts'
import { pageNames, type PageName } from '#contract/pages.ts'
import { longestText, type SiteText } from '#contract/studio/texts.ts'
import type { Db, Tx } from '#server/tables.ts'
import { parseAside } from './parse-aside.ts'
import { unsetValues, type Parsed, type Values } from './parse-markdown.ts'
import * as queries from '#server/features/pages/queries.ts'

/** Name and language of a text. */
interface Which {
  name: PageName
  language: Language
}

/** Loads one of the site's texts in a language: the operator's version, otherwise the built-in one. */
export async function loadText(db: Db, { name, language }: Which): Promise<SiteText> {
  const row = await queries.selectText(db, name, language)
  const { markdown, updated_at } = row ?? (await readUsual(name, language))
  const own = row !== undefined
  const version = createHash('sha256')
    .update(JSON.stringify([own, markdown]))
    .digest('base64url')
  return { name, language, markdown, own, updated_at: updated_at.toISOString(), version }
}

/** Lists all texts in every language, without their content. */
export async function listTexts(db: Db): Promise<(Which & { own: boolean; updated_at: string })[]> {
  const rows = await queries.selectTextDates(db)
  const each = pageNames.flatMap((name) => languages.map((language) => ({ name, language })))
  return Promise.all(
    each.map(async ({ name, language }) => {
      const own = rows.find((row) => row.name === name && row.language === language)
      const { updated_at } = own ?? (await readUsual(name, language))
      return { name, language, own: own !== undefined, updated_at: updated_at.toISOString() }
    }),
  )
}

const invalid = () => new Refusal('siteTextInvalid', { field: 'markdown' })

/**
 * Returns a text as viewers would see it, and its placeholders that have no value.
 * @throws Refusal siteTextInvalid if it is too long or cannot be parsed
 */
export async function readText(markdown: string, values: Values): Promise<Parsed & { unset: string[] }> {
  const parsed = markdown.length > longestText ? undefined : await parseOrUndefined(markdown, values)
  if (!parsed) throw invalid()
  return { ...parsed, unset: unsetValues(markdown, values) }
}

/** Error codes of a thread whose text is nested too deeply, takes too long or needs too much memory. */
const unreadable = new Set(['RangeError', 'TookTooLong', 'ERR_WORKER_OUT_OF_MEMORY'])

/** Returns undefined if quotations or lists are nested too deeply, or the text takes too long. */
async function parseOrUndefined(markdown: string, values: Values): Promise<Parsed | undefined> {
  try {
    return await parseAside(markdown, values)
  } catch (error) {
    const kind = error instanceof Error && 'code' in error ? String(error.code) : Object(error).name
    if (unreadable.has(kind)) return undefined
    throw error
  }
}

interface Edit extends Which {
  /** Version of the text that the editor has seen. */
  version: string
}

/**
 * Saves the operator's own text for one language.
 * @returns the previous text
 * @throws Refusal movedOn if it has changed since `version`; siteTextInvalid if it has no title, is too long or cannot be parsed
 */
export async function saveText(
  tx: Tx,
  { name, language, version, markdown }: Edit & { markdown: string },
  { values, now }: { values: Values; now: Date },
): Promise<SiteText> {
  if ((await readText(markdown, values)).title.trim() === '') throw invalid()
  const before = await hold(tx, { name, language, version })
  await queries.upsertText(tx, { name, language, markdown, updated_at: now })
  return before
}

/**
 * Restores the built-in text.
 * @returns the previous text
 * @throws Refusal movedOn
 */
export async function restoreText(tx: Tx, edit: Edit): Promise<SiteText> {
  const before = await hold(tx, edit)
  await queries.deleteText(tx, edit.name, edit.language)
  return before
}

async function hold(tx: Tx, { version, ...which }: Edit): Promise<SiteText> {
  await queries.lockTexts(tx)
  const before = await loadText(tx, which)
  if (before.version !== version) throw new Refusal('movedOn')
  return before
}

interface Usual {
  markdown: string
  updated_at: Date
}

const folder = join(import.meta.dirname, '../texts')

/** The built-in texts; they are files of this release, so each is read once. */
const usual = new Map<string, Promise<Usual>>()

function readUsual(name: PageName, language: Language): Promise<Usual> {
  const file = `${name}.${language}.md`
  const text = usual.get(file) ?? readFile(join(folder, file), 'utf8').then(takeDate)
  usual.set(file, text)
  text.catch(() => usual.delete(file))
  return text
}

/** Reads the first line of a file, the date of the text's last change: `Updated: 2026-11-21`. */
function takeDate(file: string): Usual {
  const [, updated, markdown] = /^Updated: (\d{4}-\d{2}-\d{2})\n([^]*)$/.exec(file) ?? []
  if (!updated || markdown === undefined) throw new Error('A text must begin with its date')
  return { markdown, updated_at: new Date(updated) }
}
