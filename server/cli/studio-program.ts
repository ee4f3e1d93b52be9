import { Argument, Command, InvalidArgumentError, Option } from 'commander'
import type { TObject, TSchema } from 'typebox'
import { commandLineOf } from '#scripts/command-line-of.mjs'
import type { CommandEndpoint } from '#contract/studio/command.ts'
import type { FileCommand } from '#contract/studio/uploads.ts'
import { fileCommands, pathParameterNames } from './studio-file-commands.ts'
import { studioCommands, type Command as StudioCommand } from '#server/features/studio/studio.ts'
import type { ArchiveQuery } from '#server/features/tracking/tracking.ts'
import { UsageError } from '#server/platform/config/config-error.ts'
import { compileSchema, languageAliases } from '#server/platform/http/request-validation.ts'

/** A studio command, parsed and validated before a site is opened. */
export interface ParsedCommand {
  /** The command's name as typed, such as `order refund`. */
  commandName: string
  json: boolean
  /** True skips the confirmation. */
  yes: boolean
  invocation:
    | { command: StudioCommand; input: Record<string, unknown> }
    | { file: FileCommand; args: string[] }
    | { query: ArchiveQuery; csv: boolean }
}

/** The command that queries the archived events. */
export const queryCommand = 'events query'

type Fields = Record<string, TSchema>

/** Builds the tree of the studio's commands. The arguments and options of each command follow from its schemas. */
export function createStudioProgram(onCommand: (parsed: ParsedCommand) => void): Command {
  const studio = new Command('studio').description('Runs the commands of the studio, as an owner')
  for (const command of studioCommands) {
    const { endpoint } = command
    const leaf = commandAt(studio, endpoint.command).description(endpoint.summary)
    addArgumentsAndOptions(leaf, endpoint)
    leaf.action((...args: unknown[]) => {
      const input = readInput(endpoint, leaf, args.slice(0, -2))
      const { json = false, yes = false } = leaf.opts<{ json?: boolean; yes?: boolean }>()
      onCommand({ commandName: endpoint.command, json, yes, invocation: { command, input } })
    })
  }
  for (const file of fileCommands) {
    const leaf = commandAt(studio, file.command).description(file.summary)
    for (const name of [...pathParameterNames(file), 'file']) leaf.argument(`<${name}>`)
    addJsonOption(leaf)
    leaf.action((...rawArgs: unknown[]) => {
      const args = rawArgs.slice(0, -2).map(String)
      onCommand({
        commandName: file.command,
        json: leaf.opts()['json'] === true,
        yes: false,
        invocation: { file, args },
      })
    })
  }
  addQueryCommand(studio, onCommand)
  for (const group of studio.commands.filter(({ commands }) => commands.length > 0))
    group.description(group.commands.map((each) => each.name()).join(', '))
  return studio
}

/** Adds the query of the archived events. It is not an endpoint, because it may use all cores for minutes. */
function addQueryCommand(studio: Command, onCommand: (parsed: ParsedCommand) => void): void {
  const leaf = commandAt(studio, queryCommand)
    .description('Runs a SELECT on the archived events')
    .argument('<sql>', 'such as "SELECT day, count(*) FROM events GROUP BY day"')
    .option('--from <day>', 'the first day to read, such as 2026-11-22', checkDay)
    .option('--to <day>', 'the last day to read', checkDay)
    .option('--csv', 'prints the result as CSV')
    .option('--json', 'prints the result as JSON')
  leaf.action((sql: string, options: { from?: string; to?: string; csv?: boolean; json?: boolean }) => {
    const { from, to, csv = false, json = false } = options
    onCommand({ commandName: queryCommand, json, yes: false, invocation: { query: { sql, from, to }, csv } })
  })
}

function checkDay(text: string): string {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) throw new InvalidArgumentError('Enter a day such as 2026-11-22.')
  return text
}

/** Returns the command for words such as `video publish`; creates it and its groups if they are missing. */
function commandAt(studio: Command, words: string): Command {
  const path = words.split(' ')
  return path.reduce((parent, word) => {
    const known = parent.commands.find((each) => each.name() === word)
    return known ?? parent.command(word)
  }, studio)
}

function addArgumentsAndOptions(leaf: Command, endpoint: CommandEndpoint): void {
  const fields = fieldsOf(endpoint)
  const required = new Set(requiredOf(endpoint))
  const { args = [] } = endpoint
  for (const [index, name] of args.entries()) {
    const isList = typeOf(fields[name]) === 'array'
    const rest = isList && index === args.length - 1 ? '...' : ''
    const argument = new Argument(required.has(name) ? `<${name}${rest}>` : `[${name}${rest}]`)
    const choices = choicesOf(fields[name])
    if (choices) {
      argument.choices(choices)
      const check = choiceValidator(fields[name], choices)
      argument.argParser((text, before: unknown) =>
        rest ? [...(Array.isArray(before) ? before.map(String) : []), check(text)] : check(text),
      )
    }
    leaf.addArgument(argument)
  }
  for (const [name, schema] of Object.entries(fields))
    if (!args.includes(name)) leaf.addOption(optionOf(endpoint, name, schema))
  if (endpoint.confirmationFields) leaf.option('-y, --yes', 'skips the confirmation, for scripts')
  addJsonOption(leaf)
}

const addJsonOption = (leaf: Command) =>
  leaf.option('--json', 'prints the result as JSON, with amounts in cents')

/** Creates the option of a field. A list collects all values; for other fields the last value applies. */
function optionOf(endpoint: CommandEndpoint, name: string, schema: TSchema): Option {
  const isList = typeOf(schema) === 'array'
  const isNeeded = requiredOf(endpoint).includes(name)
  const isPrompted = endpoint.confirmationFields?.includes(name)
  const notes = [
    ...(isNeeded ? ['required'] : []),
    ...(isPrompted ? ['prompted for if omitted'] : []),
    ...(isList ? ['may be given several times'] : []),
    ...(name.endsWith('cents') ? ['in cents'] : []),
  ]
  const option = new Option(`--${name} <${placeholderFor(schema)}>`, notes.join(', '))
  const choices = choicesOf(schema)
  if (choices) option.choices(choices)
  const check = choices && choiceValidator(schema, choices)
  // Fields of a confirmation may be omitted, because the operator is prompted for them.
  return option
    .makeOptionMandatory(isNeeded && !isPrompted)
    .argParser((text, before: string[] = []) => [...before, check ? check(text) : text])
}

/**
 * Creates a function that validates a value against a closed list. For languages it also accepts "fr" and "de" and
 * returns `fy` and `dy`.
 */
function choiceValidator(schema: TSchema | undefined, choices: readonly string[]): (text: string) => string {
  const aliases = isLanguage(schema) ? languageAliases : []
  return (text) => {
    const [, code] = aliases.find(([alias]) => alias === text) ?? []
    if (!choices.includes(code ?? text))
      throw new InvalidArgumentError(`Allowed choices are ${choices.join(', ')}.`)
    return code ?? text
  }
}

function isLanguage(schema: TSchema | undefined): boolean {
  const { items } = (schema ?? {}) as { items?: TSchema }
  return items ? isLanguage(items) : 'x-language' in (schema ?? {})
}

/** Returns the placeholder that the help shows for a value. */
function placeholderFor(schema: TSchema): string {
  const types = [typeOf(schema)].flat()
  if (types.includes('integer') || types.includes('number')) return 'number'
  if (types.includes('boolean')) return 'true|false'
  return types.includes('object') ? 'json' : 'value'
}

/** Returns the allowed values of a field; undefined without a closed list. */
function choicesOf(schema: TSchema | undefined): string[] | undefined {
  const { enum: values, items } = (schema ?? {}) as { enum?: (string | null)[]; items?: TSchema }
  if (items) return choicesOf(items)
  return values?.map((value) => value ?? 'null')
}

const typeOf = (schema: TSchema | undefined) => (schema as { type?: string | string[] } | undefined)?.type

/** Reads the input of a command from its arguments and options. @throws UsageError for invalid input */
function readInput(
  endpoint: CommandEndpoint,
  leaf: Command,
  positionals: unknown[],
): Record<string, unknown> {
  const fields = fieldsOf(endpoint)
  const { args = [] } = endpoint
  const texts = (value: unknown) => (Array.isArray(value) ? value.map(String) : [String(value)])
  const positional = args.flatMap((name, index): [string, string[]][] =>
    positionals[index] === undefined ? [] : [[name, texts(positionals[index])]],
  )
  const options = Object.entries(leaf.opts<Record<string, unknown>>()).flatMap(
    ([name, value]): [string, string[]][] => (name in fields ? [[name, texts(value)]] : []),
  )
  const input = buildInput(
    [...positional, ...options].map(([name, typed]) => [name, valueOf(fields[name], typed)]),
  )
  const wrong = inputValidator(endpoint)(input)
  if (wrong !== undefined)
    throw new UsageError(`${wrong}. See: ${commandLineOf('studio', `${endpoint.command} --help`)}`)
  return input
}

type InputCheck = ReturnType<typeof compileSchema>
const inputChecks = new Map<CommandEndpoint, InputCheck>()

/**
 * Validates the input of a command. Fields of a confirmation may be missing, because the operator is prompted for them.
 */
function inputValidator(endpoint: CommandEndpoint): InputCheck {
  const known = inputChecks.get(endpoint)
  if (known) return known
  const properties = Object.assign({}, ...inputSchemas(endpoint).map((part) => part.properties)) as object
  const required = requiredOf(endpoint).filter((name) => !endpoint.confirmationFields?.includes(name))
  const check = compileSchema({ type: 'object', properties, required })
  inputChecks.set(endpoint, check)
  return check
}

/** Builds the input object. For example, `titles.en` and `titles.es` become fields of one `titles` object. */
function buildInput(values: readonly [string, unknown][]): Record<string, unknown> {
  const input: Record<string, unknown> = {}
  for (const [name, value] of values) {
    const [outer = '', inner] = name.split('.')
    input[outer] = inner === undefined ? value : Object.assign(input[outer] ?? {}, { [inner]: value })
  }
  return input
}

const inputSchemas = ({ query, body }: CommandEndpoint) =>
  [query, body].filter((part): part is TObject => part !== undefined)

/**
 * Returns the fields that a command accepts. An object, such as the titles by language, yields one field per property:
 * `titles.en`. The usual language codes are also accepted, as in `titles.de`. The validation replaces them by the
 * site's codes.
 */
function fieldsOf(endpoint: CommandEndpoint): Fields {
  const fields = inputSchemas(endpoint).flatMap(({ properties }) => Object.entries(properties))
  return Object.fromEntries(
    fields.flatMap(([name, schema]) => {
      const { properties } = schema as { properties?: Fields }
      if (!properties) return [[name, schema]]
      const aliases = 'x-keyed-by-language' in schema ? languageAliases : []
      const aliasEntries = aliases.map(([alias, code]): [string, TSchema | undefined] => [
        alias,
        properties[code],
      ])
      return [...Object.entries(properties), ...aliasEntries].flatMap(([inner, of]) =>
        of ? [[`${name}.${inner}`, of]] : [],
      )
    }),
  )
}

function requiredOf(endpoint: CommandEndpoint): string[] {
  return inputSchemas(endpoint).flatMap(({ required }) => required ?? [])
}

/** Converts typed text to the type of its field's schema. Objects are given as JSON. */
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

/** Returns the elements that one text adds to a list; a list of records may also be one JSON array. */
function elementsOf(items: TSchema | undefined, text: string): unknown[] {
  const value = valueOf(items, [text])
  return typeOf(items) === 'object' && Array.isArray(value) ? value : [value]
}
