import { readFileSync } from 'node:fs'
import { ConfigError } from './config-error.ts'

export type Env = Readonly<Record<string, string | undefined>>

/**
 * Reads a setting as it is written; empty counts as not given. `NAME_FILE` names a file that holds it, as container engines hand
 * over secrets.
 * @throws ConfigError where both are set, or where the file can't be read
 */
export function text(env: Env, name: string): string | undefined {
  const value = env[name]?.trim() || undefined
  const file = env[`${name}_FILE`]?.trim() || undefined
  if (file === undefined) return value
  if (value !== undefined) throw new ConfigError(`${name} and ${name}_FILE are both set: remove one.`)
  try {
    return readFileSync(file, 'utf8').trim() || undefined
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    throw new ConfigError(`${name}_FILE names ${file}, which can't be read (${reason}).`, { cause: error })
  }
}

/** A whole number between `min` and `max`, both included. */
export function wholeNumber(
  env: Env,
  name: string,
  { min, max }: { min: number; max: number },
): number | undefined {
  const value = text(env, name)
  if (value === undefined) return undefined
  const number = /^\d+$/.test(value) ? Number(value) : NaN
  if (!(number >= min && number <= max))
    throw new ConfigError(`${name} must be a whole number from ${min} to ${max}, not "${value}".`)
  return number
}

/** So many times in so many seconds. */
export interface Limit {
  max: number
  seconds: number
}

const units: Record<string, number> = { s: 1, min: 60, h: 3600, d: 86_400 }

/** How often something may be done: `20/min`, also per `s`, `h` or `d`. */
export function limit(env: Env, name: string): Limit | undefined {
  const value = text(env, name)
  if (value === undefined) return undefined
  const [, max, unit] = /^([1-9]\d{0,8})\/(s|min|h|d)$/.exec(value) ?? []
  const seconds = units[unit ?? '']
  if (max === undefined || seconds === undefined)
    throw new ConfigError(`${name} must be a number per s, min, h or d, such as 20/min, not "${value}".`)
  return { max: Number(max), seconds }
}

/** A limit as `limit` reads it. */
export function writeLimit({ max, seconds }: Limit): string {
  const unit = Object.entries(units).find(([, length]) => length === seconds)?.[0]
  return `${max}/${unit ?? 's'}`
}

/** A switch: 1 or 0. */
export function flag(env: Env, name: string): boolean | undefined {
  const value = oneOf(env, name, ['0', '1'])
  return value === undefined ? undefined : value === '1'
}

/** One of a few words. */
export function oneOf<Word extends string>(env: Env, name: string, words: readonly Word[]): Word | undefined {
  const value = text(env, name)
  if (value === undefined) return undefined
  const word = words.find((candidate) => candidate === value)
  if (word === undefined) throw new ConfigError(`${name} must be ${words.join(' or ')}, not "${value}".`)
  return word
}

/** An address with one of the given schemes (`https:`). The value is not repeated in the message: it may hold a password. */
export function url(env: Env, name: string, schemes: readonly string[]): string | undefined {
  const value = text(env, name)
  if (value === undefined) return undefined
  const scheme = URL.canParse(value) ? new URL(value).protocol : undefined
  if (scheme === undefined || !schemes.includes(scheme)) {
    throw new ConfigError(
      `${name} must be an address that begins with ${schemes.map((each) => `${each}//`).join(' or ')}.`,
    )
  }
  return value
}

/** Up to `max` values with commas between them. */
export function list(env: Env, name: string, max: number): string[] {
  const values = (text(env, name) ?? '')
    .split(',')
    .map((value) => value.trim())
    .filter(Boolean)
  if (values.length > max)
    throw new ConfigError(
      `${name} takes at most ${max} values with a comma between them, not ${values.length}.`,
    )
  return values
}

/**
 * Settings that only make sense together.
 * @throws ConfigError naming the one that is missing
 */
export function allOrNone<Name extends string>(
  env: Env,
  names: readonly Name[],
): Record<Name, string> | undefined {
  const values = names.map((name) => [name, text(env, name)] as const)
  const given = values.find(([, value]) => value !== undefined)
  if (!given) return undefined
  const missing = values.find(([, value]) => value === undefined)
  if (missing) throw new ConfigError(`${missing[0]} is missing: it belongs to ${given[0]}, which is set.`)
  // Object.fromEntries forgets which names there are; all of them are here.
  return Object.fromEntries(values) as Record<Name, string>
}
