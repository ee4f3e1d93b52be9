import type { TSchema } from 'typebox'
import { studioCalls } from '#contract/calls.ts'
import { isCommand, type CommandEndpoint } from '#contract/studio/command.ts'
import { valuesFor, type Values } from './read-values.ts'

/** A call to measure, with as many addresses as there are values for it, that are asked by turns. */
export interface StudioCase {
  name: string
  paths: string[]
  /** Whether further pages follow. */
  hasPages: boolean
  /** A file, which may go on for long: its first byte counts. */
  isFile?: boolean
}

/** Fields of every list, which say no more than which page it is. */
const pagingFields = new Set(['cursor', 'limit'])

/** What the site's own description of its calls has below the studio's address beside the commands: files to take along. */
export function makeFileCases(description: { paths: Record<string, { get?: object }> }): StudioCase[] {
  const known = new Set(studioCalls.map(({ path }) => path))
  return Object.entries(description.paths)
    .filter(([path, { get }]) => path.startsWith('/api/studio/') && get !== undefined)
    .filter(([path]) => ![...known].some((each) => each === path))
    .map(([path]) => ({ name: path, paths: [path], hasPages: false, isFile: true }))
}

/**
 * Every command that only looks: with what it must be given, and with each filter that it may be given, each with every
 * value of a closed list. A new command is measured by itself; a field of a new name needs its values in read-values.ts.
 */
export function makeStudioCases(values: Values): StudioCase[] {
  return studioCalls
    .filter(isCommand)
    .filter(({ method }) => method === 'GET')
    .flatMap((command) => casesOf(command, values))
}

function casesOf(command: CommandEndpoint, values: Values): StudioCase[] {
  const { properties = {}, required = [] }: Fields = command.query ?? {}
  const needed = required.map(
    (name) => [name, valuesFor(values, command.command, name, properties[name])] as const,
  )
  const filters = Object.entries(properties)
    .filter(([name]) => !required.includes(name) && !pagingFields.has(name))
    .flatMap(([name, schema]) => filtersBy(command, name, schema, values))
  const ways: Filter[][] = [[], ...filters.map((filter) => [filter])]
  return ways.map((given) => ({
    name: [command.command, ...given.map(({ name }) => name)].join(', '),
    paths: pathsOf(command.path, [...needed, ...given.map(({ field, of }) => [field, of] as const)]),
    hasPages: 'cursor' in properties,
  }))
}

type Fields = { properties?: Record<string, TSchema>; required?: readonly string[] }

interface Filter {
  /** The case's name for it. */
  name: string
  field: string
  of: readonly string[]
}

function filtersBy({ command }: CommandEndpoint, field: string, schema: TSchema, values: Values): Filter[] {
  const of = valuesFor(values, command, field, schema)
  const isClosed = 'enum' in schema
  return isClosed
    ? of.map((value) => ({ name: `${field} ${value}`, field, of: [value] }))
    : [{ name: field, field, of }]
}

/** As many addresses as the field with the most values has. */
function pathsOf(path: string, fields: readonly (readonly [string, readonly string[]])[]): string[] {
  const count = Math.max(1, ...fields.map(([, values]) => values.length))
  return Array.from({ length: count }, (_, index) => {
    const given = fields.map(([name, values]) => [name, values[index % values.length] ?? ''])
    return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`
  })
}
