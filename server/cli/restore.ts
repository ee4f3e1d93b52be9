import { createReadStream, existsSync, readFileSync } from 'node:fs'
import { chmod, copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createInterface } from 'node:readline'
import { createGunzip } from 'node:zlib'
import type { Pool } from 'pg'
import { bucketListFile, Manifest, manifestFile, tableFile, secretFile, secretFingerprint } from './backup.ts'
import { createProgressMeter } from './progress.ts'
import { copyFiles, storageFolders } from './copy-files.ts'
import type { Config } from '#server/platform/config/config.ts'
import { ConfigError } from '#server/platform/config/config-error.ts'
import { connectDatabase, migrationsDir, withoutTimeouts } from '#server/platform/database/database.ts'
import { isUnusedDatabase, loadTables } from '#server/platform/database/load-tables.ts'
import { migrate } from '#server/platform/database/migrate.ts'
import { compileSchema } from '#server/platform/http/request-validation.ts'
import type { Log } from '#server/platform/log.ts'
import { openDisk } from '#server/platform/storage/disk.ts'
import { openStorage } from '#server/platform/storage/open-storage.ts'
import type { Storage } from '#server/platform/storage/storage.ts'

type ReportProgress = (line: string) => void

/**
 * Restores a backup into an empty place: a database that no site has used, and the configured storage. An aborted
 * restore can be run again; the database is restored completely or not at all.
 * @throws ConfigError if there is no backup, the place is not empty, or the secret differs; the signal's reason when
 * aborted
 */
export async function restore(
  { config, log }: { config: Config; log: Log },
  folder: string,
  reportProgress: ReportProgress,
  signal: AbortSignal,
): Promise<void> {
  const manifest = readManifest(folder)
  const usesBackupSecret = needsBackupSecret(config, manifest, folder)
  const { pool, close } = await connectDatabase(config, log, withoutTimeouts)
  try {
    if (!(await isUnusedDatabase(pool)))
      throw new ConfigError('This database already has a site: restore into an empty DATA_DIR or database.')
    if (usesBackupSecret) await installBackupSecret(config, folder)
    const storage = await openStorage(config, log, manifest.site_id)
    await (manifest.bucket
      ? checkBucket(storage, join(folder, manifest.database, bucketListFile))
      : copyFiles(
          { from: openDisk(folder), to: storage },
          (line) => reportProgress(`Files: ${line}`),
          signal,
        ))
    await migrateToManifest(pool, manifest, log)
    // Copying files takes long, so a site may have been started here since.
    if (!(await isUnusedDatabase(pool)))
      throw new ConfigError('A site was started on this database in the meantime: nothing was restored.')
    await loadTableFiles(pool, manifest, join(folder, manifest.database), reportProgress, signal)
  } finally {
    await close()
  }
}

/** Reads the manifest of the backup. @throws ConfigError if it is missing or not readable by this version */
function readManifest(folder: string): Manifest {
  const path = join(folder, manifestFile)
  if (!existsSync(path)) throw new ConfigError(`There is no backup in ${folder}: ${manifestFile} is missing.`)
  const manifest = JSON.parse(readFileSync(path, 'utf8')) as Manifest
  const wrong = compileSchema(Manifest)(manifest)
  if (wrong !== undefined)
    throw new ConfigError(`This version of the site cannot read the backup ${path}: ${wrong}.`)
  return manifest
}

/**
 * Compares the secrets. The restored data are encrypted and signed with the secret of the backed-up site. If that site
 * generated its secret, the backup includes it. The backup's secret may replace a secret that this installation
 * generated.
 * @returns true if the backup's secret must be installed
 * @throws ConfigError if the secrets differ and the backup's secret cannot be installed
 */
function needsBackupSecret({ dataDir, secrets }: Config, manifest: Manifest, folder: string): boolean {
  if (secretFingerprint(secrets.appSecret) === manifest.secret) return false
  const [backupSecretPath, own] = [join(folder, secretFile), join(dataDir, secretFile)]
  const isGenerated = existsSync(own) && readFileSync(own, 'utf8').trim() === secrets.appSecret
  if (!existsSync(backupSecretPath) || !isGenerated)
    throw new ConfigError('Set APP_SECRET to the value of the site that was backed up.')
  return true
}

/** Replaces this installation's secret by the backup's secret, and keeps a copy of the old secret. */
async function installBackupSecret({ dataDir }: Config, folder: string): Promise<void> {
  const own = join(dataDir, secretFile)
  await copyFile(own, `${own}.before-restore`)
  await copyFile(join(folder, secretFile), own)
  await chmod(own, 0o600)
}

/**
 * Creates the tables with the migrations of the backup. Newer migrations run at the next start or `npm run migrate`.
 * @throws ConfigError if this version has other migrations than the backup
 */
async function migrateToManifest(pool: Pool, { migrations }: Manifest, log: Log): Promise<void> {
  const upTo = migrations.at(-1)?.name ?? ''
  await migrate(pool, { directory: migrationsDir, log, upTo })
  const { rows } = await pool.query<{ name: string; checksum: string }>(
    'SELECT name, checksum FROM migrations',
  )
  const applied = new Map(rows.map(({ name, checksum }) => [name, checksum]))
  if (
    applied.size !== migrations.length ||
    migrations.some(({ name, checksum }) => applied.get(name) !== checksum)
  )
    throw new ConfigError(
      'The backup was made by another version with other tables: restore it with that version or a newer one.',
    )
}

async function loadTableFiles(
  pool: Pool,
  dump: Manifest,
  folder: string,
  reportProgress: ReportProgress,
  signal: AbortSignal,
): Promise<void> {
  const total = dump.tables.reduce((sum, { bytes }) => sum + bytes, 0)
  const meter = createProgressMeter(total, (line) => reportProgress(`Database: ${line}`))
  await loadTables(pool, dump, async ({ name, bytes }, rows) => {
    signal.throwIfAborted()
    const file = createReadStream(join(folder, tableFile(name)))
    await pipeline(file, createGunzip(), meter(name, bytes), rows, { signal })
  })
}

/** Checks that the bucket has all files of the backup. @throws ConfigError naming missing files */
async function checkBucket(storage: Storage, list: string): Promise<void> {
  if (storage.delivery.kind === 'files')
    throw new ConfigError(
      'The files of this backup are in a bucket: set S3_ENDPOINT and the other S3 settings.',
    )
  const storedBytes = new Map<string, number>()
  for (const folder of storageFolders)
    for await (const { key, bytes } of storage.list(folder)) storedBytes.set(key, bytes)
  const missing: string[] = []
  for await (const line of createInterface(createReadStream(list))) {
    const [, bytes, key = ''] = /^(\d+) (.*)$/.exec(line) ?? []
    const stored = storedBytes.get(key)
    if (stored === undefined || (stored !== Number(bytes) && !isRewritable(key))) missing.push(key)
  }
  if (missing.length > 0)
    throw new ConfigError(
      `The bucket lacks files of the backup (${missing.length}), such as ${missing.slice(0, 3).join(', ')}: restore them first.`,
    )
}

/**
 * Returns whether the site may replace a file by a newer version: captions that were edited, and the events of a day
 * that were archived again. The size of such a file then differs from the size that an older backup lists.
 */
const isRewritable = (key: string) => key.startsWith('archive/') || key.endsWith('.vtt')
