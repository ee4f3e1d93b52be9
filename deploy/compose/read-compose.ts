import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'

/** A service of compose.yaml. */
export interface Service {
  image: string
  build?: string
  entrypoint?: string[]
  command?: string[]
  environment?: Record<string, string | number>
  env_file?: unknown
  volumes?: string[]
  tmpfs?: string[]
  ports?: string[]
  depends_on?: Record<string, unknown>
  profiles?: string[]
}

interface Compose {
  services: Record<string, Service>
  volumes: Record<string, null>
}

const file = join(import.meta.dirname, '..', '..', 'compose.yaml')

export const composeText = readFileSync(file, 'utf8')

/** Reads the services of compose.yaml. Interpolates the variables if values are given. */
export function readCompose(values?: Readonly<Record<string, string>>): Compose {
  // Like Compose, interpolates after parsing, because a value may contain YAML syntax.
  const interpolated = (_key: unknown, value: unknown) =>
    values && typeof value === 'string' ? interpolate(value, values) : value
  return parse(composeText, interpolated, { merge: true })
}

/**
 * Interpolates `${NAME}`, `${NAME:-default}`, `${NAME:?message}` and `$$` as Compose does.
 * @throws Error with the message if a required value is missing
 */
function interpolate(text: string, values: Readonly<Record<string, string>>): string {
  return text.replaceAll(
    /\$\$|\$\{(\w+)(?::([-?])([^}]*))?\}/g,
    (_, name?: string, operator = '', operand = '') => {
      if (name === undefined) return '$'
      const value = values[name] ?? ''
      if (value !== '') return value
      if (operator === '?') throw new Error(operand)
      return operand
    },
  )
}
