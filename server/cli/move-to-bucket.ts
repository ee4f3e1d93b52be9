import { copyFiles, type CopyReport } from './copy-files.ts'
import type { Context } from '#server/context.ts'
import { ConfigError } from '#server/platform/config/config-error.ts'
import { openDisk } from '#server/platform/storage/disk.ts'

/**
 * Copies the files of DATA_DIR to the configured bucket. A repeated run continues. Does not change the disk.
 * @throws ConfigError without a bucket; the signal's reason when aborted
 */
export async function moveToBucket(
  { config, storage }: Pick<Context, 'config' | 'storage'>,
  reportProgress: (line: string) => void,
  signal: AbortSignal,
): Promise<CopyReport> {
  if (!config.s3) throw new ConfigError('Set S3_ENDPOINT and the other S3 settings of the bucket to move to.')
  return copyFiles({ from: openDisk(config.dataDir), to: storage }, reportProgress, signal)
}
