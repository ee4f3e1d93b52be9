import { ConfigError } from './config-error.ts'
import { readList, readUrl, type Env } from './read-env.ts'

/** Addresses of the database. */
interface DatabaseAddresses {
  databaseUrl: string | undefined
  databaseDirectUrl: string | undefined
  databaseReadUrls: readonly string[]
}

const schemes = ['postgres:', 'postgresql:']
const maxReplicas = 16

/**
 * Reads the addresses of the database.
 * @throws ConfigError naming a setting that is invalid, or that is set without DATABASE_URL
 */
export function readDatabase(env: Env): DatabaseAddresses {
  const databaseUrl = readUrl(env, 'DATABASE_URL', schemes)
  const databaseDirectUrl = readUrl(env, 'DATABASE_DIRECT_URL', schemes)
  const readUrls = readList(env, 'DATABASE_READ_URL', maxReplicas)
  const databaseReadUrls = readUrls.flatMap(
    (each) => readUrl({ DATABASE_READ_URL: each }, 'DATABASE_READ_URL', schemes) ?? [],
  )
  const needs = databaseDirectUrl
    ? 'DATABASE_DIRECT_URL'
    : readUrls.length > 0
      ? 'DATABASE_READ_URL'
      : undefined
  if (databaseUrl === undefined && needs !== undefined)
    throw new ConfigError(`DATABASE_URL is missing: ${needs} is set and requires it.`)
  return { databaseUrl, databaseDirectUrl, databaseReadUrls }
}
