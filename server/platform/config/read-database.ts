import { ConfigError } from './config-error.ts'
import { url, type Env } from './read-setting.ts'

/** Where the database is. */
interface DatabaseAddresses {
  databaseUrl: string | undefined
  databaseDirectUrl: string | undefined
}

const schemes = ['postgres:', 'postgresql:']

/** Reads the addresses of the database. @throws ConfigError naming the one that is wrong, or that needs another one */
export function readDatabase(env: Env): DatabaseAddresses {
  const databaseUrl = url(env, 'DATABASE_URL', schemes)
  const databaseDirectUrl = url(env, 'DATABASE_DIRECT_URL', schemes)
  if (databaseUrl === undefined && databaseDirectUrl !== undefined)
    throw new ConfigError('DATABASE_URL is missing: it belongs to DATABASE_DIRECT_URL, which is set.')
  return { databaseUrl, databaseDirectUrl }
}
