import { Command } from 'commander'
import { Refusal } from '#contract/errors.ts'
import { describe } from './print.ts'
import { parseWith } from './parse.ts'
import { giveFile } from './studio-files.ts'
import { studioProgram, type Asked } from './studio-program.ts'
import type { Context } from '#server/context.ts'
import { perform, studioBytesRoutes, type Command as StudioCommand } from '#server/features/studio/studio.ts'
import { ConfigError } from '#server/platform/config/config-error.ts'
import { findAddress } from '#server/site-address.ts'

/**
 * Runs a studio command as the owner: `['operator', 'add', 'me@example.com']`. It does not ask for confirmation.
 * @returns the answer as text, or as JSON with `--json`
 * @throws UsageError for invalid arguments, ConfigError with the reason of a refusal
 */
export async function runStudioCommand(site: Context, args: string[]): Promise<string> {
  let asked: Asked | undefined
  const program = studioProgram((each) => {
    asked = each
  })
  const help = parseWith(new Command('site').addCommand(program), ['studio', ...args])
  return asked ? runAsked(site, asked) : help
}

/** Runs a parsed command. @throws ConfigError with the reason of a refusal */
export async function runAsked(site: Context, asked: Asked): Promise<string> {
  const { publicUrl, note } = await findAddress(site)
  const context = { ...site, publicUrl }
  try {
    return await answer(context, asked, note)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    throw new ConfigError(context.translate('en', `refusals.${error.reason}`), { cause: error })
  }
}

/** @param note printed with an answer that contains a link */
async function answer(context: Context, { what, json }: Asked, note: string | undefined): Promise<string> {
  if ('file' in what) {
    const { file, args } = what
    const route = studioBytesRoutes(context).find(({ path }) => path === file.path)
    if (!route) throw new Error(`there is no ${file.command}`)
    return print(await giveFile(route, file, args), json)
  }
  const { command, input } = what
  const give = (asked: object) => infoOf(command, context, asked)
  const result = await give(input)
  if (!json && isFile(result)) return readOn(result, (cursor) => give({ ...input, cursor }))
  const text = print(result, json)
  return note !== undefined && !json && givesLink(result) ? `${text}\n${note}` : text
}

async function infoOf(command: StudioCommand, context: Context, input: object): Promise<unknown> {
  const result = await perform(command, context, { role: 'owner', language: 'en' }, input)
  return 'info' in result ? result.info : result.data
}

const print = (result: unknown, json: boolean) => (json ? JSON.stringify(result, null, 2) : describe(result))
const givesLink = (result: unknown) => typeof result === 'object' && result !== null && 'link' in result

interface FilePage {
  csv: string
  next_cursor: string | null
}

const isFile = (result: unknown): result is FilePage =>
  typeof result === 'object' && result !== null && 'csv' in result && 'next_cursor' in result

/** Joins the pages of a file; the caller writes the final line break. */
async function readOn(first: FilePage, next: (cursor: string) => Promise<unknown>): Promise<string> {
  const pages: string[] = []
  for (let page: unknown = first; isFile(page);) {
    pages.push(page.csv)
    page = page.next_cursor === null ? undefined : await next(page.next_cursor)
  }
  return pages.join('').trimEnd()
}
