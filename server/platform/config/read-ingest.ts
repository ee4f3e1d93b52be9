import { readEnum, readInteger, type Env } from './read-env.ts'

/** Resource limits of video conversion, and the codec of additional renditions besides H.264. */
export interface IngestConfig {
  extraCodec: ExtraCodec | undefined
  /** Maximum CPU cores for all conversions together; undefined means all cores. */
  cores: number | undefined
  /** Maximum memory of one ffmpeg process, in bytes. */
  memory: number
}

/** Resource limits of one ffmpeg process. */
export type RunLimits = Pick<IngestConfig, 'cores' | 'memory'>

export type ExtraCodec = 'hevc' | 'av1'

const megabyte = 1024 ** 2

/** Reads the settings of video conversion. @throws ConfigError naming EXTRA_CODEC, INGEST_CORES or INGEST_MEMORY_MB */
export function readIngest(env: Env): IngestConfig {
  return {
    extraCodec: readEnum(env, 'EXTRA_CODEC', ['hevc', 'av1']),
    cores: readInteger(env, 'INGEST_CORES', { min: 1, max: 1024 }),
    memory: (readInteger(env, 'INGEST_MEMORY_MB', { min: 512, max: 1_048_576 }) ?? 6144) * megabyte,
  }
}
