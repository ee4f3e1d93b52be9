import {
  chmodSync,
  createWriteStream,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  realpathSync,
  writeFileSync,
} from 'node:fs'
import { copyFile, open, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import type { Pool } from 'pg'
import { Type, type Static } from 'typebox'
import { createProgressMeter } from './progress.ts'
import { copyFiles, storageFolders } from './copy-files.ts'
import type { Config } from '#server/platform/config/config.ts'
import { ConfigError } from '#server/platform/config/config-error.ts'
import { dumpTables, withBackupLock, readSiteId, type Dump } from '#server/platform/database/dump-tables.ts'
import { deriveKey } from '#server/platform/encrypt.ts'
import { openDisk } from '#server/platform/storage/disk.ts'
import type { Storage } from '#server/platform/storage/storage.ts'

/** The schema of `backup.json`, the manifest in a backup's folder. */
export const Manifest = Type.Object({
  format: Type.Literal(1),
  made_at: Type.String(),
  public_url: Type.String(),
  /** The site's id. The site also writes this id into its bucket. */
  site_id: Type.String(),
  /** A fingerprint of APP_SECRET for comparisons; it does not reveal the secret. */
  secret: Type.String(),
  /** Name of the subfolder with the database dump, which has a file for each table. */
  database: Type.String(),
  /** True if the files are in a bucket: the backup then only lists them. */
  bucket: Type.Boolean(),
  migrations: Type.Array(Type.Object({ name: Type.String(), checksum: Type.String() })),
  tables: Type.Array(
    Type.Object({ name: Type.String(), columns: Type.Array(Type.String()), bytes: Type.Number() }),
  ),
  partitions: Type.Array(
    Type.Object({ name: Type.String(), table: Type.String(), from: Type.String(), to: Type.String() }),
  ),
  counters: Type.Record(Type.String(), Type.Number()),
})
export type Manifest = Static<typeof Manifest>

export const manifestFile = 'backup.json'
export const bucketListFile = 'bucket.txt'
export const secretFile = 'app-secret'
export const tableFile = (table: string) => `${table}.copy.gz`

/** The parts of a site that a backup or restore uses. */
export interface BackupSource {
  pool: Pool
  storage: Storage
  config: Pick<Config, 'dataDir' | 'secrets' | 'publicUrl'>
}

type ReportProgress = (line: string) => void

/** Returns a fingerprint of a secret, from which the secret cannot be derived. */
export const secretFingerprint = (secret: string) =>
  deriveKey(secret, 'mark of a backup').toString('base64url')

/**
 * Backs up the whole site into a folder while it runs: a snapshot of the database, then the files. The site deletes no
 * files meanwhile. A second run into the same folder copies only new files. Until that run finishes, and if it is
 * aborted, the folder still contains the previous backup.
 * @throws ConfigError if the folder has other contents; the signal's reason when aborted
 */
export async function backUp(
  source: BackupSource,
  folder: string,
  reportProgress: ReportProgress,
  signal: AbortSignal,
): Promise<void> {
  const site_id = (await readSiteId(source.pool)) ?? ''
  prepareFolder(folder, source.config.dataDir, site_id)
  await withBackupLock(source.pool, async () => {
    const made_at = new Date().toISOString()
    const database = `database-${made_at.replaceAll(/[:.]/g, '-')}`
    mkdirSync(join(folder, database), { mode: 0o700 })
    const dump = await writeTableFiles(source.pool, join(folder, database), reportProgress, signal)
    const bucket = source.storage.delivery.kind !== 'files'
    const { secrets, publicUrl: public_url } = source.config
    await (bucket
      ? listBucket(source.storage, join(folder, database, bucketListFile), signal)
      : copyStorage(source.storage, folder, reportProgress, signal))
    await copyGeneratedSecret(source.config, folder)
    const secret = secretFingerprint(secrets.appSecret)
    await writeManifest(folder, {
      format: 1,
      made_at,
      public_url,
      site_id,
      secret,
      database,
      bucket,
      ...dump,
    })
    await removePreviousDumps(folder, database)
    if (!bucket) await removeObsoleteFiles(source.storage, folder)
  })
}

/**
 * The file that marks a folder as a folder of backups, and contains the site's id. A folder with other files is
 * refused, because a backup would delete those files as obsolete.
 */
const markerFile = 'backup-of-site'

/** Prepares the folder, which must be empty or contain backups of this site. @throws ConfigError otherwise */
function prepareFolder(folder: string, dataDir: string, siteId: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  if (`${realpathSync(folder)}/`.startsWith(`${realpathSync(dataDir)}/`))
    throw new ConfigError('A backup inside DATA_DIR would be lost with it: choose another folder.')
  const marker = join(folder, markerFile)
  if (readdirSync(folder).length === 0) writeFileSync(marker, `${siteId}\n`, { mode: 0o600, flush: true })
  else if (!existsSync(marker) || readFileSync(marker, 'utf8').trim() !== siteId)
    throw new ConfigError(
      `${folder} contains files that are not from a backup of this site: choose an empty folder, or the folder of the last backup.`,
    )
  chmodSync(folder, 0o700)
}

async function writeTableFiles(
  pool: Pool,
  folder: string,
  reportProgress: ReportProgress,
  signal: AbortSignal,
): Promise<Dump> {
  const meter = createProgressMeter(await databaseBytes(pool), (line) => reportProgress(`Database: ${line}`))
  return dumpTables(pool, async ({ name, bytes }, rows) => {
    signal.throwIfAborted()
    const file = createWriteStream(join(folder, tableFile(name)), { mode: 0o600, flush: true })
    await pipeline(rows, meter(name, bytes), createGzip({ level: 1 }), file, { signal })
  })
}

async function databaseBytes(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ bytes: number }>(
    'SELECT pg_database_size(current_database())::float8 AS bytes',
  )
  return rows[0]?.bytes ?? 0
}

async function copyStorage(
  storage: Storage,
  folder: string,
  reportProgress: ReportProgress,
  signal: AbortSignal,
): Promise<void> {
  const report = await copyFiles(
    { from: storage, to: openDisk(folder) },
    (line) => reportProgress(`Files: ${line}`),
    signal,
  )
  reportProgress(`Files: ${report.copied} copied, ${report.alreadyPresent} already there.`)
}

/** Lists the files that must be in the bucket, one per line. */
async function listBucket(storage: Storage, path: string, signal: AbortSignal): Promise<void> {
  const lines = async function* () {
    for (const folder of storageFolders)
      for await (const { key, bytes } of storage.list(folder)) yield `${bytes} ${key}\n`
  }
  await pipeline(lines, createWriteStream(path, { mode: 0o600, flush: true }), { signal })
}

/** Copies APP_SECRET if the site generated it. The operator must store a secret that is set in the environment. */
async function copyGeneratedSecret(
  { dataDir, secrets }: BackupSource['config'],
  folder: string,
): Promise<void> {
  const own = join(dataDir, secretFile)
  if (existsSync(own) && readFileSync(own, 'utf8').trim() === secrets.appSecret)
    await copyFile(own, join(folder, secretFile))
}

/** Makes this backup the folder's current one, in one atomic step. */
async function writeManifest(folder: string, manifest: Manifest): Promise<void> {
  const draft = join(folder, `${manifestFile}.draft`)
  await writeFile(draft, `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600, flush: true })
  await rename(draft, join(folder, manifestFile))
  const handle = await open(folder)
  await handle.sync()
  await handle.close()
}

async function removePreviousDumps(folder: string, current: string): Promise<void> {
  for (const name of await readdir(folder))
    if (/^database-[\dTZ-]+$/.test(name) && name !== current)
      await rm(join(folder, name), { recursive: true, force: true })
}

async function removeObsoleteFiles(storage: Storage, folder: string): Promise<void> {
  const copy = openDisk(folder)
  for (const part of storageFolders) {
    const existingKeys = new Set<string>()
    for await (const { key } of storage.list(part)) existingKeys.add(key)
    for await (const { key } of copy.list(part)) if (!existingKeys.has(key)) await copy.remove(key)
  }
}
