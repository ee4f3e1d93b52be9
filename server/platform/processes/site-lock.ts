import { join } from 'node:path'
import { ConfigError } from '#server/platform/config/config-error.ts'
import { tryLock } from './lock-file.ts'

/**
 * Ensures that one site at a time serves a data directory. The operator's commands do not take this lock.
 * @throws ConfigError naming the process and address of the running site
 */
export function lockSite(dataDir: string, address: string): { release: () => void } {
  const lock = tryLock(join(dataDir, 'site.lock'), address)
  if ('release' in lock) return lock
  throw new ConfigError(
    `The site already runs on this DATA_DIR (${dataDir}): process ${lock.heldBy.pid}, at ${lock.heldBy.note}. Stop it, or set DATA_DIR and PORT for a second site.`,
  )
}
