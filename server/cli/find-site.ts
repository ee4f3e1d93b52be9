import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { commandLineOf } from '#scripts/command-line-of.mjs'
import { loadConfig, type Config } from '#server/platform/config/config.ts'
import { ConfigError } from '#server/platform/config/config-error.ts'
import { connectDatabase, withoutTimeouts } from '#server/platform/database/database.ts'
import { isUnusedDatabase } from '#server/platform/database/load-tables.ts'
import type { Log } from '#server/platform/log.ts'
import { readText, type Env } from '#server/platform/config/read-env.ts'

/**
 * Loads the configuration of an existing site. Without this check, a command that lacks DATA_DIR or DATABASE_URL would
 * create an empty site.
 * @throws ConfigError if there is no site
 */
export async function findSite(env: Env, log: Log): Promise<Config> {
  const databaseUrl = readText(env, 'DATABASE_URL')
  const dataDir = resolve(readText(env, 'DATA_DIR') ?? 'data')
  if (databaseUrl === undefined && !existsSync(join(dataDir, 'postgres')))
    throw new ConfigError(
      `There is no site in ${dataDir}. Set DATA_DIR to the folder of your site, or start a new site there.`,
    )
  const config = loadConfig(env)
  if (databaseUrl !== undefined) await requireTables(config, log)
  return config
}

async function requireTables(config: Config, log: Log): Promise<void> {
  const { pool, close } = await connectDatabase(config, log, withoutTimeouts)
  try {
    if (await isUnusedDatabase(pool))
      throw new ConfigError(
        `There is no site in the database of DATABASE_URL. Check the address, or run ${commandLineOf('migrate')} and start a new site there.`,
      )
  } finally {
    await close()
  }
}
