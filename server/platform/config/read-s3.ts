import { ConfigError } from './config-error.ts'
import { readAllOrNone, readFlag, readText, readUrl, type Env } from './read-env.ts'

/** The S3 bucket for files. Its secret key is in `Secrets`. */
export interface S3Config {
  endpoint: string
  region: string
  bucket: string
  accessKeyId: string
  /** True if the bucket's name is part of the URL path instead of the host. */
  forcePathStyle: boolean
  /** The address of a cache in front that verifies signed URLs, without a slash at the end. */
  publicUrl: string | undefined
}

/** Reads the settings of the S3 store, all four or none. @throws ConfigError naming the missing or invalid setting */
export function readS3(env: Env): {
  s3: S3Config | undefined
  s3Secrets: { secretAccessKey: string } | undefined
} {
  const keys = readAllOrNone(env, ['S3_ENDPOINT', 'S3_BUCKET', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'])
  const forcePathStyle = readFlag(env, 'S3_FORCE_PATH_STYLE') ?? true
  const publicUrl = readUrl(env, 'S3_PUBLIC_URL', ['http:', 'https:'])?.replace(/\/+$/, '')
  if (!keys) return { s3: undefined, s3Secrets: undefined }
  const endpoint = readUrl(env, 'S3_ENDPOINT', ['http:', 'https:']) ?? ''
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(keys.S3_BUCKET))
    throw new ConfigError(
      `S3_BUCKET must be the name of a bucket (3 to 63 lowercase letters, digits, dots and hyphens), not "${keys.S3_BUCKET}".`,
    )
  return {
    s3: {
      endpoint,
      region: readText(env, 'S3_REGION') ?? 'us-east-1',
      bucket: keys.S3_BUCKET,
      accessKeyId: keys.S3_ACCESS_KEY_ID,
      forcePathStyle,
      publicUrl,
    },
    s3Secrets: { secretAccessKey: keys.S3_SECRET_ACCESS_KEY },
  }
}
