import type { Language } from '#contract/languages.ts'
import { languageFromFileTag } from '#contract/studio/file-language.ts'
import { tracksNote, type SourceNote } from '#server/features/media/ingest/files/source-notes.ts'

/** The fields of an ffprobe stream that are needed to choose captions. */
export interface CaptionStream {
  index: number
  codec_type?: string
  codec_name?: string
  nb_frames?: string
  disposition?: Record<string, number>
  tags?: Record<string, string>
}

/** A caption stream, and the format in which ffmpeg extracts it. */
export interface CaptionTrack {
  index: number
  /** Position among the caption streams of the file, counted from 1. */
  track: number
  format: 'srt' | 'ass' | 'webvtt'
  /** True if ffmpeg converts the stream from another codec to `format`, false if it copies the text unchanged. */
  isConverted: boolean
}

/**
 * The extraction format of each text caption codec. Other codecs contain images of text (DVD, Blu-ray, DVB), which
 * cannot become WebVTT. ffmpeg extracts SubRip unchanged, because its own conversion would write a "<" in the text as
 * WebVTT markup.
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
 * Chooses one caption stream for each language of the site. Prefers full captions to captions for the hearing-impaired,
 * and captions for the hearing-impaired to forced captions (foreign speech and signs only). Omits streams in other
 * languages.
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

/** Returns one note for each reason for which caption streams cannot be shown. Empty streams get no note. */
export function noteSkippedCaptions(streams: readonly CaptionStream[]): SourceNote[] {
  const nonEmptyTracks = captionTracksOf(streams).filter(({ nb_frames }) => nb_frames !== '0')
  const numbers = (tracks: typeof nonEmptyTracks) =>
    tracks.map(({ track }) => track).toSorted((a, b) => a - b)
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
