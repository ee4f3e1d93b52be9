import { Command } from 'commander'
import { Refusal } from '#contract/errors.ts'
import { formatCsv, formatResult } from './format-result.ts'
import { parseArguments } from './parse-arguments.ts'
import { runFileCommand } from './studio-file-commands.ts'
import { createStudioProgram, type ParsedCommand } from './studio-program.ts'
import type { Context } from '#server/context.ts'
import {
  runCommand,
  studioUploadRoutes,
  type Command as StudioCommand,
} from '#server/features/studio/studio.ts'
import { queryArchive } from '#server/features/tracking/tracking.ts'
import { ConfigError } from '#server/platform/config/config-error.ts'
import { findSiteAddress } from '#server/site-address.ts'

/**
 * Runs a studio command as the owner: `['operator', 'add', 'me@example.com']`. It does not ask for confirmation.
 * @returns the answer as text, or as JSON with `--json`
 * @throws UsageError for invalid arguments, ConfigError with the reason of a refusal
 */
export async function runStudioCommand(site: Context, args: string[]): Promise<string> {
  let parsed: ParsedCommand | undefined
  const program = createStudioProgram((each) => {
    parsed = each
  })
  const help = parseArguments(new Command('site').addCommand(program), ['studio', ...args])
  return parsed ? runParsedCommand(site, parsed) : help
}

/** Runs a parsed command. @throws ConfigError with the reason of a refusal */
export async function runParsedCommand(
  site: Context,
  parsed: ParsedCommand,
  signal = new AbortController().signal,
): Promise<string> {
  const { invocation, json } = parsed
  if ('query' in invocation) {
    const rows = await queryArchive(site.storage, invocation.query, signal)
    return invocation.csv ? formatCsv(rows) : print(json ? rows : { list: rows }, json)
  }
  const { publicUrl, note } = await findSiteAddress(site)
  const context = { ...site, publicUrl }
  try {
    return await runAndFormat(context, { invocation, json }, note)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const message = context.translate('en', `refusals.${error.reason}`)
    const details = Object.keys(error.info).length > 0 ? `\n${formatResult(error.info)}` : ''
    throw new ConfigError(message + details, { cause: error })
  }
}

interface EndpointCommand {
  invocation: Exclude<ParsedCommand['invocation'], { csv: boolean }>
  json: boolean
}

/** Runs a command of an endpoint, and formats its answer. @param note printed with an answer that contains a link */
async function runAndFormat(
  context: Context,
  { invocation, json }: EndpointCommand,
  note: string | undefined,
): Promise<string> {
  if ('file' in invocation) {
    const { file, args } = invocation
    const route = studioUploadRoutes(context).find(({ path }) => path === file.path)
    if (!route) throw new Error(`there is no route for ${file.command}`)
    return print(await runFileCommand(route, file, args), json)
  }
  const { command, input } = invocation
  const run = (input: object) => runAsOwner(command, context, input)
  const result = await run(input)
  if (!json && isFilePage(result)) return joinPages(result, (cursor) => run({ ...input, cursor }))
  const text = print(result, json)
  return note !== undefined && !json && containsLink(result) ? `${text}\n${note}` : text
}

async function runAsOwner(command: StudioCommand, context: Context, input: object): Promise<unknown> {
  const result = await runCommand(command, context, { role: 'owner', language: 'en' }, input)
  return 'info' in result ? result.info : result.data
}

const print = (result: unknown, json: boolean) =>
  json ? JSON.stringify(result, null, 2) : formatResult(result)
const containsLink = (result: unknown) => typeof result === 'object' && result !== null && 'link' in result

interface FilePage {
  csv: string
  next_cursor: string | null
}

const isFilePage = (result: unknown): result is FilePage =>
  typeof result === 'object' && result !== null && 'csv' in result && 'next_cursor' in result

/** Joins the pages of a file; the caller writes the final line break. */
async function joinPages(first: FilePage, next: (cursor: string) => Promise<unknown>): Promise<string> {
  const pages: string[] = []
  for (let page: unknown = first; isFilePage(page);) {
    pages.push(page.csv)
    page = page.next_cursor === null ? undefined : await next(page.next_cursor)
  }
  return pages.join('').trimEnd()
}
