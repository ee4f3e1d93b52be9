import type { Config } from '#server/platform/config/config.ts'
import { ConfigError } from '#server/platform/config/config-error.ts'
import type { Log } from '#server/platform/log.ts'
import { openDisk } from './disk.ts'
import type { Storage } from './storage.ts'

/**
 * Opens the configured storage: a bucket, else the disk.
 * @param siteId distinguishes this site from others that use the same bucket by mistake
 * @throws ConfigError naming the setting if the store refuses access or the bucket belongs to another site; an
 * unreachable store is logged
 */
export async function openStorage(
  { dataDir, s3, secrets }: Config,
  log: Log,
  siteId: string,
): Promise<Storage> {
  if (!s3 || !secrets.s3) return openDisk(dataDir)
  // Loaded on demand: the library takes 200 ms and 30 MB, which a site on a disk does not need.
  const [{ openS3, markerKey }, { StoreError }] = await Promise.all([
    import('./s3.ts'),
    import('./s3-calls.ts'),
  ])
  const storage = openS3({ settings: s3, secretAccessKey: secrets.s3.secretAccessKey, dataDir, siteId })
  const checked = storage.check().then(() => storage.claimOwnership())
  const isOwn = await checked.catch((error: unknown) => {
    if (!(error instanceof StoreError)) throw error
    if (error.status === 403)
      throw new ConfigError(
        `S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY give no access to the bucket ${s3.bucket} at ${s3.endpoint}.`,
      )
    if (error.status === 404)
      throw new ConfigError(`S3_BUCKET: there is no bucket ${s3.bucket} at ${s3.endpoint}.`)
    if (error.status === 301)
      throw new ConfigError(`S3_REGION: the bucket ${s3.bucket} is in another region.`)
    log.error({ err: error }, 'The S3 store cannot be reached; the site starts without it')
    return true
  })
  if (!isOwn)
    throw new ConfigError(
      `S3_BUCKET: the bucket ${s3.bucket} belongs to another site, according to its file "${markerKey}". Use another bucket for this site; or delete that file, if no other site uses the bucket any more.`,
    )
  return storage
}
