import type { TSchema } from 'typebox'
import { studioEndpoints } from '#contract/all-endpoints.ts'
import { isCommand, type CommandEndpoint } from '#contract/studio/command.ts'
import { valuesFor, type ParameterValues } from './read-parameter-values.ts'

/** A request to measure, with one URL per value, which are requested in turn. */
export interface StudioCase {
  name: string
  paths: string[]
  /** True if there are further pages. */
  hasPages: boolean
  /** A file, which may be long: the time to its first byte is measured. */
  isFile?: boolean
}

/** Paging fields, which every list has. */
const pagingFields = new Set(['cursor', 'limit'])

/** Returns cases for the studio's file downloads in the OpenAPI document. */
export function makeFileCases(description: { paths: Record<string, { get?: object }> }): StudioCase[] {
  const known = new Set(studioEndpoints.map(({ path }) => path))
  return Object.entries(description.paths)
    .filter(([path, { get }]) => path.startsWith('/api/studio/') && get !== undefined)
    .filter(([path]) => ![...known].some((each) => each === path))
    .map(([path]) => ({ name: path, paths: [path], hasPages: false, isFile: true }))
}

/**
 * Returns cases for every read-only command: with its required fields, and with each optional filter and every
 * value of a closed list. New commands are included automatically; new field names need values in read-parameter-values.ts.
 */
export function makeStudioCases(values: ParameterValues): StudioCase[] {
  return studioEndpoints
    .filter(isCommand)
    .filter(({ method }) => method === 'GET')
    .flatMap((command) => casesOf(command, values))
}

function casesOf(command: CommandEndpoint, values: ParameterValues): StudioCase[] {
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
  /** Its name in the case. */
  name: string
  field: string
  of: readonly string[]
}

function filtersBy(
  { command }: CommandEndpoint,
  field: string,
  schema: TSchema,
  values: ParameterValues,
): Filter[] {
  const of = valuesFor(values, command, field, schema)
  const isClosed = 'enum' in schema
  return isClosed
    ? of.map((value) => ({ name: `${field} ${value}`, field, of: [value] }))
    : [{ name: field, field, of }]
}

/** Returns as many URLs as the field with the most values has. */
function pathsOf(path: string, fields: readonly (readonly [string, readonly string[]])[]): string[] {
  const count = Math.max(1, ...fields.map(([, values]) => values.length))
  return Array.from({ length: count }, (_, index) => {
    const given = fields.map(([name, values]) => [name, values[index % values.length] ?? ''])
    return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`
  })
}
