import type { TSchema } from 'typebox'
import { studioEndpoints } from '#contract/all-endpoints.ts'
import { isCommand, type CommandEndpoint } from '#contract/studio/command.ts'
import { valuesFor, type ParameterValues } from './read-parameter-values.ts'

/** A request to measure. It has one URL for each value of its parameters, and they are requested in turn. */
export interface StudioCase {
  name: string
  paths: string[]
  /** True for a paginated list: a page from its middle is measured too. */
  hasPages: boolean
  /** True for a file, which may be long: only the time to its first byte is measured. */
  isFile?: boolean
}

/** Fields for paging, which every list has. */
const pagingFields = new Set(['cursor', 'limit'])

/** Returns cases for the studio's file downloads, from the OpenAPI document. */
export function makeFileCases(description: { paths: Record<string, { get?: object }> }): StudioCase[] {
  const known = new Set(studioEndpoints.map(({ path }) => path))
  return Object.entries(description.paths)
    .filter(([path, { get }]) => path.startsWith('/api/studio/') && get !== undefined)
    .filter(([path]) => ![...known].some((each) => each === path))
    .map(([path]) => ({ name: path, paths: [path], hasPages: false, isFile: true }))
}

/**
 * Returns cases for every read-only command: one with its required fields, one for each optional filter, and one for
 * each value of a filter with fixed values. New commands are included automatically; a new field needs values in
 * read-parameter-values.ts.
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
  const filterSets: Filter[][] = [[], ...filters.map((filter) => [filter])]
  return filterSets.map((params) => ({
    name: [command.command, ...params.map(({ name }) => name)].join(', '),
    paths: pathsOf(command.path, [...needed, ...params.map(({ field, of }) => [field, of] as const)]),
    hasPages: 'cursor' in properties,
  }))
}

type Fields = { properties?: Record<string, TSchema>; required?: readonly string[] }

interface Filter {
  /** The filter's name in the name of the case. */
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

/** Returns one URL for each value of the field with the most values. The values of the other fields repeat. */
function pathsOf(path: string, fields: readonly (readonly [string, readonly string[]])[]): string[] {
  const count = Math.max(1, ...fields.map(([, values]) => values.length))
  return Array.from({ length: count }, (_, index) => {
    const params = fields.map(([name, values]) => [name, values[index % values.length] ?? ''])
    return params.length === 0 ? path : `${path}?${new URLSearchParams(params)}`
  })
}
