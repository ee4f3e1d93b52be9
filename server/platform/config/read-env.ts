import { readFileSync } from 'node:fs'
import { ConfigError } from './config-error.ts'

export type Env = Readonly<Record<string, string | undefined>>

/**
 * Reads a setting as text; empty counts as not set. `NAME_FILE` names a file that contains the value, as with container
 * secrets.
 * @throws ConfigError if NAME and NAME_FILE are both set, or if the file can't be read
 */
export function readText(env: Env, name: string): string | undefined {
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

/** Reads a whole number between `min` and `max`, both included. */
export function readInteger(
  env: Env,
  name: string,
  { min, max }: { min: number; max: number },
): number | undefined {
  const value = readText(env, name)
  if (value === undefined) return undefined
  const number = /^\d+$/.test(value) ? Number(value) : NaN
  if (!(number >= min && number <= max))
    throw new ConfigError(`${name} must be a whole number from ${min} to ${max}, not "${value}".`)
  return number
}

/** A rate limit: `max` times in `seconds`. */
export interface RateLimit {
  max: number
  seconds: number
}

const units: Record<string, number> = { s: 1, min: 60, h: 3600, d: 86_400 }

/** Reads a rate limit such as `20/min`, also per `s`, `h` or `d`. */
export function readRateLimit(env: Env, name: string): RateLimit | undefined {
  const value = readText(env, name)
  if (value === undefined) return undefined
  const [, max, unit] = /^([1-9]\d{0,8})\/(s|min|h|d)$/.exec(value) ?? []
  const seconds = units[unit ?? '']
  if (max === undefined || seconds === undefined)
    throw new ConfigError(`${name} must be a number per s, min, h or d, such as 20/min, not "${value}".`)
  return { max: Number(max), seconds }
}

/** Formats a limit so that `readRateLimit` can read it. */
export function formatRateLimit({ max, seconds }: RateLimit): string {
  const unit = Object.entries(units).find(([, length]) => length === seconds)?.[0]
  return `${max}/${unit ?? 's'}`
}

/** Reads a switch: 1 or 0. */
export function readFlag(env: Env, name: string): boolean | undefined {
  const value = readEnum(env, name, ['0', '1'])
  return value === undefined ? undefined : value === '1'
}

/** Reads one of a few allowed values. */
export function readEnum<Word extends string>(
  env: Env,
  name: string,
  words: readonly Word[],
): Word | undefined {
  const value = readText(env, name)
  if (value === undefined) return undefined
  const word = words.find((candidate) => candidate === value)
  if (word === undefined) throw new ConfigError(`${name} must be ${words.join(' or ')}, not "${value}".`)
  return word
}

/**
 * Reads an address with one of the given schemes (`https:`). The message does not repeat the value, which may contain a
 * password.
 */
export function readUrl(env: Env, name: string, schemes: readonly string[]): string | undefined {
  const value = readText(env, name)
  if (value === undefined) return undefined
  const scheme = URL.canParse(value) ? new URL(value).protocol : undefined
  if (scheme === undefined || !schemes.includes(scheme)) {
    throw new ConfigError(
      `${name} must be an address that begins with ${schemes.map((each) => `${each}//`).join(' or ')}.`,
    )
  }
  return value
}

/** Reads up to `max` comma-separated values. */
export function readList(env: Env, name: string, max: number): string[] {
  const values = (readText(env, name) ?? '')
    .split(',')
    .map((value) => value.trim())
    .filter(Boolean)
  if (values.length > max)
    throw new ConfigError(`${name} accepts at most ${max} values, separated by commas, not ${values.length}.`)
  return values
}

/**
 * Reads settings that are only valid together.
 * @throws ConfigError naming the missing setting
 */
export function readAllOrNone<Name extends string>(
  env: Env,
  names: readonly Name[],
): Record<Name, string> | undefined {
  const values = names.map((name) => [name, readText(env, name)] as const)
  const present = values.find(([, value]) => value !== undefined)
  if (!present) return undefined
  const missing = values.find(([, value]) => value === undefined)
  if (missing) throw new ConfigError(`${missing[0]} is missing: ${present[0]} is set and requires it.`)
  // Object.fromEntries loses the type of the keys; all of them are present.
  return Object.fromEntries(values) as Record<Name, string>
}
