import type { Language } from '#contract/languages.ts'
import { languageFromFileTag } from '#contract/studio/file-language.ts'
import { tracksNote, type SourceNote } from '#server/features/media/ingest/files/source-notes.ts'

/** The fields of ffprobe's stream that matter for captions. */
export interface CaptionStream {
  index: number
  codec_type?: string
  codec_name?: string
  nb_frames?: string
  disposition?: Record<string, number>
  tags?: Record<string, string>
}

/** A caption stream: its number, and the format in which ffmpeg extracts its text unchanged. */
export interface CaptionTrack {
  index: number
  /** Number among the captions of the file, from 1. */
  track: number
  format: 'srt' | 'ass' | 'webvtt'
  /** Whether ffmpeg converts them to this format from another one. */
  isConverted: boolean
}

/**
 * Text captions by codec. Others are images of text (DVD, Blu-ray, DVB), which cannot become WebVTT. Our own parsers convert
 * SubRip, because ffmpeg would write its "<" into WebVTT as markup.
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
const convertedCodecs = new Set(['mov_text', 'text'])
const imageCodecs = new Set(['dvd_subtitle', 'hdmv_pgs_subtitle', 'dvb_subtitle', 'xsub'])

/**
 * Chooses the streams that become captions: one for each language of the site; full captions precede those for the
 * hearing-impaired, and forced ones (signs only) are last. Streams without a language of the site are omitted.
 */
export function chooseCaptions(streams: readonly CaptionStream[]): ReadonlyMap<Language, CaptionTrack> {
  const chosen = new Map<Language, CaptionTrack>()
  for (const { index, track, codec_name = '', language } of captionTracksOf(streams)) {
    const format = formats[codec_name]
    if (language && format && !chosen.has(language))
      chosen.set(language, { index, track, format, isConverted: convertedCodecs.has(codec_name) })
  }
  return chosen
}

/** Notes the captions of a file that cannot be shown, and why. A track without captions needs no note. */
export function noteSkippedCaptions(streams: readonly CaptionStream[]): SourceNote[] {
  const nonEmptyTracks = captionTracksOf(streams).filter(({ nb_frames }) => nb_frames !== '0')
  const numbers = (left: typeof nonEmptyTracks) => left.map(({ track }) => track).toSorted((a, b) => a - b)
  const isText = ({ codec_name = '' }: CaptionStream) => formats[codec_name] !== undefined
  const isImage = ({ codec_name = '' }: CaptionStream) => imageCodecs.has(codec_name)
  return [
    ...tracksNote('captionPictures', numbers(nonEmptyTracks.filter(isImage))),
    ...tracksNote('captionTracks', numbers(nonEmptyTracks.filter((each) => !isText(each) && !isImage(each)))),
    ...tracksNote(
      'captionLanguages',
      numbers(nonEmptyTracks.filter((each) => isText(each) && !each.language)),
    ),
  ]
}

function captionTracksOf(streams: readonly CaptionStream[]) {
  return streams
    .filter(({ codec_type }) => codec_type === 'subtitle')
    .map((stream, at) => ({
      ...stream,
      track: at + 1,
      language: languageFromFileTag(stream.tags?.['language'] ?? ''),
    }))
    .toSorted((a, b) => rankOf(a) - rankOf(b))
}

function rankOf({ disposition }: CaptionStream): number {
  if (disposition?.['forced'] === 1) return 2
  return disposition?.['hearing_impaired'] === 1 ? 1 : 0
}
