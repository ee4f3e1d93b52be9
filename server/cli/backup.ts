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
import { meterParts } from './progress.ts'
import { copyFiles, storedFolders } from './copy-files.ts'
import type { Config } from '#server/platform/config/config.ts'
import { ConfigError } from '#server/platform/config/config-error.ts'
import { dumpTables, keepingFiles, readSiteId, type Dump } from '#server/platform/database/dump-tables.ts'
import { keyOf } from '#server/platform/encrypt.ts'
import { openDisk } from '#server/platform/storage/disk.ts'
import type { Storage } from '#server/platform/storage/storage.ts'

/** The schema of `backup.json`, the manifest in a backup's folder. */
export const Manifest = Type.Object({
  format: Type.Literal(1),
  made_at: Type.String(),
  public_url: Type.String(),
  /** The id of the bucket's owner. */
  site_id: Type.String(),
  /** A fingerprint to compare APP_SECRETs, which reveals nothing else about it. */
  secret: Type.String(),
  /** The folder with a file for each table. */
  database: Type.String(),
  /** Whether the files are in a bucket, which the backup only lists. */
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
export const bucketList = 'bucket.txt'
export const secretFile = 'app-secret'
export const rowsFile = (table: string) => `${table}.copy.gz`

/** The parts of a site that a backup or restore uses. */
export interface Backed {
  pool: Pool
  storage: Storage
  config: Pick<Config, 'dataDir' | 'secrets' | 'publicUrl'>
}

type Tell = (line: string) => void

/** Returns a fingerprint of the secret, without revealing it. */
export const secretMark = (secret: string) => keyOf(secret, 'mark of a backup').toString('base64url')

/**
 * Backs up the whole site into a folder while it runs: a snapshot of the database, and then the files, of which none is deleted
 * meanwhile. A second run into the same folder copies only new files; until it has finished, or if it is aborted, the folder still
 * holds the previous backup.
 * @throws ConfigError if the folder has other contents; the signal's reason when aborted
 */
export async function backUp(backed: Backed, folder: string, tell: Tell, signal: AbortSignal): Promise<void> {
  const site_id = (await readSiteId(backed.pool)) ?? ''
  prepareFolder(folder, backed.config.dataDir, site_id)
  await keepingFiles(backed.pool, async () => {
    const made_at = new Date().toISOString()
    const database = `database-${made_at.replaceAll(/[:.]/g, '-')}`
    mkdirSync(join(folder, database), { mode: 0o700 })
    const dump = await writeRows(backed.pool, join(folder, database), tell, signal)
    const bucket = backed.storage.delivery.kind !== 'files'
    const { secrets, publicUrl: public_url } = backed.config
    await (bucket
      ? listBucket(backed.storage, join(folder, database, bucketList), signal)
      : copyStorage(backed.storage, folder, tell, signal))
    await keepSecret(backed.config, folder)
    const secret = secretMark(secrets.appSecret)
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
    await removeFormer(folder, database)
    if (!bucket) await removeGone(backed.storage, folder)
  })
}

/** A file in the folder from the first run on, with the id of the site. Other files in the folder would be deleted as obsolete. */
const markerFile = 'backup-of-site'

/** Prepares a folder that is empty, or has backups of this site. @throws ConfigError */
function prepareFolder(folder: string, dataDir: string, siteId: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  if (`${realpathSync(folder)}/`.startsWith(`${realpathSync(dataDir)}/`))
    throw new ConfigError('A backup inside DATA_DIR would be lost with it: choose another folder.')
  const marker = join(folder, markerFile)
  if (readdirSync(folder).length === 0) writeFileSync(marker, `${siteId}\n`, { mode: 0o600, flush: true })
  else if (!existsSync(marker) || readFileSync(marker, 'utf8').trim() !== siteId)
    throw new ConfigError(
      `${folder} contains other files than backups of this site: choose an empty folder, or the one of its last backup.`,
    )
  chmodSync(folder, 0o700)
}

async function writeRows(pool: Pool, folder: string, tell: Tell, signal: AbortSignal): Promise<Dump> {
  const meter = meterParts(await databaseBytes(pool), (line) => tell(`Database: ${line}`))
  return dumpTables(pool, async ({ name, bytes }, rows) => {
    signal.throwIfAborted()
    const file = createWriteStream(join(folder, rowsFile(name)), { mode: 0o600, flush: true })
    await pipeline(rows, meter(name, bytes), createGzip({ level: 1 }), file, { signal })
  })
}

async function databaseBytes(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ bytes: number }>(
    'SELECT pg_database_size(current_database())::float8 AS bytes',
  )
  return rows[0]?.bytes ?? 0
}

async function copyStorage(storage: Storage, folder: string, tell: Tell, signal: AbortSignal): Promise<void> {
  const report = await copyFiles(
    { from: storage, to: openDisk(folder) },
    (line) => tell(`Files: ${line}`),
    signal,
  )
  tell(`Files: ${report.copied} copied, ${report.there} already there.`)
}

/** Lists the files that must be in the bucket, one per line. */
async function listBucket(storage: Storage, path: string, signal: AbortSignal): Promise<void> {
  const lines = async function* () {
    for (const folder of storedFolders)
      for await (const { key, bytes } of storage.list(folder)) yield `${bytes} ${key}\n`
  }
  await pipeline(lines, createWriteStream(path, { mode: 0o600, flush: true }), { signal })
}

/** Copies a secret that the site generated itself. One from the environment must be kept by the operator. */
async function keepSecret({ dataDir, secrets }: Backed['config'], folder: string): Promise<void> {
  const own = join(dataDir, secretFile)
  if (existsSync(own) && readFileSync(own, 'utf8').trim() === secrets.appSecret)
    await copyFile(own, join(folder, secretFile))
}

/** Makes this backup the current one of the folder. */
async function writeManifest(folder: string, manifest: Manifest): Promise<void> {
  const draft = join(folder, `${manifestFile}.draft`)
  await writeFile(draft, `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600, flush: true })
  await rename(draft, join(folder, manifestFile))
  const handle = await open(folder)
  await handle.sync()
  await handle.close()
}

async function removeFormer(folder: string, current: string): Promise<void> {
  for (const name of await readdir(folder))
    if (/^database-[\dTZ-]+$/.test(name) && name !== current)
      await rm(join(folder, name), { recursive: true, force: true })
}

async function removeGone(storage: Storage, folder: string): Promise<void> {
  const copy = openDisk(folder)
  for (const part of storedFolders) {
    const there = new Set<string>()
    for await (const { key } of storage.list(part)) there.add(key)
    for await (const { key } of copy.list(part)) if (!there.has(key)) await copy.remove(key)
  }
}
