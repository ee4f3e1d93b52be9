import type { Config } from '#server/platform/config/config.ts'
import { ConfigError } from '#server/platform/config/config-error.ts'
import type { ExtraCodec } from '#server/platform/config/read-ingest.ts'
import { queryCapabilities } from '#server/platform/processes/run-ffmpeg-capabilities.ts'
import { findFfmpeg, type Ffmpeg } from '#server/platform/processes/run-ffmpeg-version.ts'
import { findEncoderFault } from './check-encoder.ts'
import { extraRenditionsOf, type ExtraRendition } from '#server/features/media/ingest/plan/extra-codec.ts'
import type { Converter } from './programs.ts'

/**
 * Finds ffmpeg, and a working encoder for EXTRA_CODEC.
 * @throws ConfigError naming FFMPEG_PATH or EXTRA_CODEC
 */
export async function findConverter({
  ffmpegPath,
  ingest: { extraCodec: codec, ...limits },
}: Pick<Config, 'ffmpegPath' | 'ingest'>): Promise<Converter> {
  const found = { ...(await findFfmpeg({ ffmpegPath })), limits, extraRendition: undefined }
  return codec === undefined ? found : { ...found, extraRendition: await cachedEncoder(found, codec) }
}

/** Returns a warning if this is the bundled ffmpeg of 2018; undefined for any other. */
export function bundledFfmpegWarning({
  bundled,
  version,
}: Pick<Ffmpeg, 'bundled' | 'version'>): string | undefined {
  if (!bundled) return undefined
  return `Videos are converted with the ffmpeg of 2018 that was installed with the site (${version}). Set FFMPEG_PATH to a current ffmpeg in production, because it parses uploads.`
}

const encoderCache = new Map<string, Promise<ExtraRendition>>()

/** Finds an encoder once per process for each codec and ffmpeg, because each search runs ffmpeg. */
function cachedEncoder(converter: Converter, codec: ExtraCodec): Promise<ExtraRendition> {
  const key = `${codec} ${converter.ffmpegPath}`
  const encoder = encoderCache.get(key) ?? findEncoder(converter, codec)
  encoderCache.set(key, encoder)
  return encoder
}

async function findEncoder(converter: Converter, codec: ExtraCodec): Promise<ExtraRendition> {
  const { ffmpegPath } = converter
  const { encoders } = await queryCapabilities(ffmpegPath)
  const faults = new Map<string, string>()
  for (const extraRendition of extraRenditionsOf(codec).filter(({ encoder }) => encoders.has(encoder))) {
    const fault = await findEncoderFault(converter, extraRendition)
    if (fault === undefined) return extraRendition
    faults.set(extraRendition.encoder, fault)
  }
  if (faults.size === 0) {
    const names = [...new Set(extraRenditionsOf(codec).map(({ encoder }) => encoder))].join(' or ')
    throw new ConfigError(
      `EXTRA_CODEC ${codec} needs an ffmpeg with ${names}, which ${ffmpegPath} does not have.`,
    )
  }
  const reasons = [...faults].map(([encoder, fault]) => `its ${encoder} ${fault}`).join(', and ')
  throw new ConfigError(`EXTRA_CODEC ${codec} can’t be used with ${ffmpegPath}: ${reasons}.`)
}
