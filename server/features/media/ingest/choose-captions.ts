import type { Language } from '#contract/languages.ts'
import { languageOfFile } from '#contract/studio/file-language.ts'

/** What ffprobe says of a stream, as far as captions are concerned. */
export interface CaptionStream {
  index: number
  codec_type?: string
  codec_name?: string
  disposition?: Record<string, number>
  tags?: Record<string, string>
}

/** Captions that are text. Others are pictures of text (DVD, Blu-ray, DVB), which no WebVTT can be made of. */
const textKinds = new Set(['mov_text', 'subrip', 'srt', 'ass', 'ssa', 'webvtt', 'text'])

/**
 * Which streams of a file become captions: one per language of ours, whole ones before those for hearing-impaired people, and
 * those that translate signs alone (`forced`) last. A stream that names no language, or one that we do not have, is left out.
 */
export function chooseCaptions(streams: readonly CaptionStream[]): ReadonlyMap<Language, number> {
  const chosen = new Map<Language, number>()
  const texts = streams.filter(
    ({ codec_type, codec_name }) => codec_type === 'subtitle' && textKinds.has(codec_name ?? ''),
  )
  for (const { index, tags } of texts.toSorted((a, b) => rankOf(a) - rankOf(b))) {
    const language = languageOfFile(tags?.['language'] ?? '')
    if (language && !chosen.has(language)) chosen.set(language, index)
  }
  return chosen
}

function rankOf({ disposition }: CaptionStream): number {
  if (disposition?.['forced'] === 1) return 2
  return disposition?.['hearing_impaired'] === 1 ? 1 : 0
}
