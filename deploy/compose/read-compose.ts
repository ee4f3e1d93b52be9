import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'

/** A service as compose.yaml has it. */
export interface Service {
  image: string
  build?: string
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

/** The services of compose.yaml, with its variables put in where values for them are given. */
export function readCompose(values?: Readonly<Record<string, string>>): Compose {
  return parse(values ? withValues(composeText, values) : composeText, { merge: true })
}

/** `${NAME}`, `${NAME:-else}` and `${NAME:?what is missing}`, as Compose reads them. @throws Error with what is missing */
function withValues(text: string, values: Readonly<Record<string, string>>): string {
  return text.replaceAll(/\$\{(\w+)(?::([-?])([^}]*))?\}/g, (_, name: string, how = '', word = '') => {
    const value = values[name] ?? ''
    if (value !== '') return value
    if (how === '?') throw new Error(word)
    return word
  })
}
