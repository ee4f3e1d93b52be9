import { randomBytes } from 'node:crypto'
import { chmodSync, linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { deriveKey } from '#server/platform/encrypt.ts'
import { ConfigError } from './config-error.ts'
import { readList, readText, type Env } from './read-env.ts'

const shortestSecret = 32

/**
 * Reads APP_SECRET, or the secret in DATA_DIR of a site with the embedded database.
 * @throws ConfigError if it is missing or too short
 */
export function readAppSecret(env: Env, dataDir: string, databaseUrl: string | undefined): string {
  const secret = readText(env, 'APP_SECRET')
  if (secret !== undefined) {
    if (secret.length < shortestSecret)
      throw new ConfigError(
        `APP_SECRET must have at least ${shortestSecret} characters, not ${secret.length}.`,
      )
    return secret
  }
  if (databaseUrl !== undefined)
    throw new ConfigError(
      'APP_SECRET must be set if DATABASE_URL is set: use 32 random bytes, for example from "openssl rand -base64 32".',
    )
  return readOrCreateSecret(join(dataDir, 'app-secret'))
}

/**
 * Reads the keys for media URLs. The default is derived from APP_SECRET, so that a program that only verifies media
 * URLs does not need APP_SECRET.
 */
export function readMediaSecrets(env: Env, appSecret: string): string[] {
  const secrets = readList(env, 'MEDIA_SECRET', 2)
  const short = secrets.find((secret) => secret.length < shortestSecret)
  if (short !== undefined)
    throw new ConfigError(
      `MEDIA_SECRET must have at least ${shortestSecret} characters, not ${short.length}. To replace a secret, set the new secret, a comma and the old secret.`,
    )
  return secrets.length > 0 ? secrets : [deriveKey(appSecret, 'links to media').toString('base64url')]
}

/**
 * Reads the secret that the site generated at its first start, or generates it. Two concurrent first starts get the
 * same secret.
 */
function readOrCreateSecret(path: string): string {
  const draft = `${path}.${process.pid}`
  try {
    writeFileSync(draft, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600, flush: true })
    linkSync(draft, path)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  } finally {
    rmSync(draft, { force: true })
  }
  chmodSync(path, 0o600)
  const secret = readFileSync(path, 'utf8').trim()
  if (secret.length < shortestSecret)
    throw new ConfigError(
      `The file ${path} in DATA_DIR is damaged: restore it, or delete it (everyone is signed out then).`,
    )
  return secret
}
