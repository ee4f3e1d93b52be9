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

/** A stream of captions: its number, and the format in which ffmpeg writes its words as they are. */
export interface CaptionTrack {
  index: number
  format: 'srt' | 'ass' | 'webvtt'
  /** Whether they were another format, which ffmpeg converts to this one. */
  isConverted: boolean
}

/**
 * Captions that are text, by their codec. Others are pictures of text (DVD, Blu-ray, DVB), which no WebVTT can be made of. ffmpeg itself
 * would write a "<" of SubRip into WebVTT as a mark, so that is done by our own parsers.
 */
const formats: Record<string, CaptionTrack['format']> = {
  subrip: 'srt',
  srt: 'srt',
  webvtt: 'webvtt',
  ass: 'ass',
  ssa: 'ass',
  mov_text: 'ass',
  text: 'ass',
}
const converted = new Set(['mov_text', 'text'])

/**
 * Which streams of a file become captions: one per language of ours, whole ones before those for hearing-impaired people, and
 * those that translate signs alone (`forced`) last. A stream that names no language, or one that we do not have, is left out.
 */
export function chooseCaptions(streams: readonly CaptionStream[]): ReadonlyMap<Language, CaptionTrack> {
  const chosen = new Map<Language, CaptionTrack>()
  const subtitles = streams.filter(({ codec_type }) => codec_type === 'subtitle')
  for (const { index, codec_name, tags } of subtitles.toSorted((a, b) => rankOf(a) - rankOf(b))) {
    const language = languageOfFile(tags?.['language'] ?? '')
    const format = formats[codec_name ?? '']
    if (language && format && !chosen.has(language))
      chosen.set(language, { index, format, isConverted: converted.has(codec_name ?? '') })
  }
  return chosen
}

function rankOf({ disposition }: CaptionStream): number {
  if (disposition?.['forced'] === 1) return 2
  return disposition?.['hearing_impaired'] === 1 ? 1 : 0
}
