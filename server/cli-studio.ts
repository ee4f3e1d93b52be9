import { parseArgs } from 'node:util'
import type { TObject, TSchema } from 'typebox'
import { Refusal } from '#contract/errors.ts'
import type { CommandEndpoint } from '#contract/studio/command.ts'
import type { Context } from '#server/context.ts'
import { perform, studioBytesRoutes, studioCommands, type Command } from '#server/features/studio/studio.ts'
import { giveFile, isFileCommand, usageOfFile, type FileCommand } from '#server/cli-studio-files.ts'
import { findAddress } from '#server/site-address.ts'
import { ConfigError } from '#server/platform/config-error.ts'
import { compileSchema } from '#server/platform/http/validators.ts'

/**
 * Runs a command of the studio from the command line, as the owner: `npm run studio -- operator add EMAIL`.
 * @returns the answer in lines for a person, or as JSON with `--json`
 * @throws ConfigError for what cannot be understood, or why it is refused
 */
export async function runStudioCommand(site: Context, args: string[]): Promise<string> {
  const { publicUrl, note } = await findAddress(site)
  const context = { ...site, publicUrl }
  const files = studioBytesRoutes(context).filter(isFileCommand)
  const takesFile = files.find(({ command }) => isAsked(args, command))
  try {
    return takesFile
      ? await runFileCommand(takesFile, args)
      : await run(context, findCommand(args, files), args, note)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    throw new ConfigError(context.translate('en', `refusals.${error.reason}`), { cause: error })
  }
}

/** @param note for whoever is given a link */
async function run(context: Context, command: Command, args: string[], note: string | undefined) {
  const { input, json } = readInput(command.endpoint, argumentsOf(args, command.endpoint.command))
  const give = async (asked: object) => {
    const answer = await perform(command, context, { role: 'owner', language: 'en' }, asked)
    return 'info' in answer ? answer.info : answer.data
  }
  const result = await give(input)
  if (!json && isFile(result)) return readOn(result, (cursor) => give({ ...input, cursor }))
  const text = print(result, json)
  return note !== undefined && !json && givesLink(result) ? `${text}\n${note}` : text
}

async function runFileCommand(command: FileCommand, args: string[]): Promise<string> {
  const given = argumentsOf(args, command.command).filter((arg) => arg !== '--json')
  return print(await giveFile(command, given), args.includes('--json'))
}

const argumentsOf = (args: string[], command: string) => args.slice(command.split(' ').length)
const print = (result: unknown, json: boolean) => (json ? JSON.stringify(result, null, 2) : describe(result))
const isAsked = (args: string[], command: string) => `${args.join(' ')} `.startsWith(`${command} `)

const givesLink = (result: unknown) => typeof result === 'object' && result !== null && 'link' in result

interface FilePage {
  csv: string
  next_cursor: string | null
}

const isFile = (result: unknown): result is FilePage =>
  typeof result === 'object' && result !== null && 'csv' in result && 'next_cursor' in result

/** A file that is given page by page, as a whole; the line's end after it is the caller's. */
async function readOn(first: FilePage, next: (cursor: string) => Promise<unknown>): Promise<string> {
  const pages: string[] = []
  for (let page: unknown = first; isFile(page);) {
    pages.push(page.csv)
    page = page.next_cursor === null ? undefined : await next(page.next_cursor)
  }
  return pages.join('').trimEnd()
}

/** The command whose words the arguments begin with. */
function findCommand(args: string[], files: readonly FileCommand[]): Command {
  const found = studioCommands.filter(({ endpoint: { command } }) => isAsked(args, command))
  const [longest] = found.toSorted(
    (one, other) => other.endpoint.command.length - one.endpoint.command.length,
  )
  if (!longest)
    throw new ConfigError(
      `These commands of the studio are known:\n${[
        ...studioCommands.map(({ endpoint }) => usageOf(endpoint)),
        ...files.map(usageOfFile),
      ]
        .map((usage) => `  ${usage}`)
        .join('\n')}`,
    )
  return longest
}

function usageOf(endpoint: CommandEndpoint): string {
  const { command, args = [], summary } = endpoint
  const named = Object.keys(fieldsOf(endpoint)).filter((name) => !args.includes(name))
  const parts = [command, ...args.map((name) => name.toUpperCase()), ...named.map((name) => `[--${name} …]`)]
  return `${parts.join(' ')}\n      ${summary}`
}

function readInput(endpoint: CommandEndpoint, args: string[]): { input: object; json: boolean } {
  const fields = fieldsOf(endpoint)
  const usage = `npm run studio -- ${usageOf(endpoint)}`
  const options = Object.fromEntries(
    Object.keys(fields).map((name) => [name, { type: 'string' as const, multiple: true }]),
  )
  const { values, positionals } = parse(
    () => parseArgs({ args, options: { ...options, json: { type: 'boolean' } }, allowPositionals: true }),
    usage,
  )
  const { args: names = [] } = endpoint
  const given = named(positionals, names, fields)
  if (!given) throw new ConfigError(`That is more than it takes. ${usage}`)
  for (const [name, value] of Object.entries(values))
    if (Array.isArray(value)) given.push([name, value.map(String)])
  const input = gather(given.map(([name, texts]) => [name, valueOf(fields[name], texts)]))
  const properties = Object.assign({}, ...partsOf(endpoint).map((part) => part.properties)) as object
  const wrong = compileSchema({ type: 'object', properties, required: requiredOf(endpoint) })(input)
  if (wrong !== undefined) throw new ConfigError(`${wrong}. ${usage}`)
  return { input, json: values['json'] === true }
}

/** The fields that stand without a name; the last takes all that follow where it is a list. Undefined where there are too many. */
function named(
  values: readonly string[],
  names: readonly string[],
  fields: Record<string, TSchema>,
): [string, readonly string[]][] | undefined {
  const last = names.length - 1
  const takesRest = typeOf(fields[names[last] ?? '']) === 'array'
  if (values.length > names.length && !takesRest) return undefined
  return names
    .slice(0, values.length)
    .map((name, at) => [name, values.slice(at, takesRest && at === last ? undefined : at + 1)])
}

const typeOf = (schema: TSchema | undefined) => (schema as { type?: string | string[] } | undefined)?.type

function parse<T>(read: () => T, usage: string): T {
  try {
    return read()
  } catch (error) {
    throw new ConfigError(`${error instanceof Error ? error.message : ''} ${usage}`.trim(), { cause: error })
  }
}

/** What was given, with `titles.en` and `titles.es` within one `titles`. */
function gather(given: readonly [string, unknown][]): object {
  const input: Record<string, unknown> = {}
  for (const [name, value] of given) {
    const [outer = '', inner] = name.split('.')
    input[outer] = inner === undefined ? value : Object.assign(input[outer] ?? {}, { [inner]: value })
  }
  return input
}

const partsOf = ({ query, body }: CommandEndpoint) =>
  [query, body].filter((part): part is TObject => part !== undefined)

/** The fields that can be given. Of one that holds others by name, such as texts by language, these: `titles.en`. */
function fieldsOf(endpoint: CommandEndpoint): Record<string, TSchema> {
  const fields = partsOf(endpoint).flatMap(({ properties }) => Object.entries(properties))
  return Object.fromEntries(
    fields.flatMap(([name, schema]) => {
      const { properties } = schema as { properties?: Record<string, TSchema> }
      return properties
        ? Object.entries(properties).map(([inner, of]) => [`${name}.${inner}`, of])
        : [[name, schema]]
    }),
  )
}

function requiredOf(endpoint: CommandEndpoint): string[] {
  return partsOf(endpoint).flatMap(({ required }) => required ?? [])
}

/** What was typed, as its field's schema wants it. Whatever is more than a word or a number is written as JSON. */
function valueOf(schema: TSchema | undefined, texts: readonly string[]): unknown {
  const type = typeOf(schema)
  const { items } = (schema ?? {}) as { items?: TSchema }
  if (type === 'array') return texts.flatMap((text) => elementsOf(items, text))
  const text = texts.at(-1) ?? ''
  const types = [type].flat()
  if (text === 'null' && types.includes('null')) return null
  if (types.includes('integer') || types.includes('number')) return text.trim() === '' ? text : Number(text)
  if (types.includes('boolean')) return text === 'true' ? true : text === 'false' ? false : text
  if (types.includes('string')) return text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** What one text adds to a list: of records, a whole list of them in JSON as well. */
function elementsOf(items: TSchema | undefined, text: string): unknown[] {
  const value = valueOf(items, [text])
  return typeOf(items) === 'object' && Array.isArray(value) ? value : [value]
}

/** An answer in lines: a list as one line a row, a record as one line a field. */
function describe(result: unknown): string {
  if (typeof result !== 'object' || result === null) return String(result)
  if ('list' in result && Array.isArray(result.list)) {
    const rows = result.list.map((row: unknown) => describeRow(row))
    const more =
      'next_cursor' in result && result.next_cursor ? [`(more: --cursor ${String(result.next_cursor)})`] : []
    return [...(rows.length > 0 ? rows : ['(nothing)']), ...more].join('\n')
  }
  return Object.entries(result)
    .map(([name, value]) => `${name}: ${plain(value)}`)
    .join('\n')
}

function describeRow(row: unknown): string {
  return typeof row === 'object' && row !== null ? Object.values(row).map(plain).join('  ') : plain(row)
}

const plain = (value: unknown): string =>
  value === null ? '–' : typeof value === 'object' ? JSON.stringify(value) : String(value)
