import type { Language } from '#contract/languages.ts'
import { languageOfFile } from '#contract/studio/file-language.ts'
import { noteTracks, type FilmNote } from '#server/features/media/ingest/files/film-notes.ts'

/** What ffprobe says of a stream, as far as captions are concerned. */
export interface CaptionStream {
  index: number
  codec_type?: string
  codec_name?: string
  nb_frames?: string
  disposition?: Record<string, number>
  tags?: Record<string, string>
}

/** A stream of captions: its number, and the format in which ffmpeg writes its words as they are. */
export interface CaptionTrack {
  index: number
  /** Its number among the captions of the file, from 1 on. */
  track: number
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
const pictures = new Set(['dvd_subtitle', 'hdmv_pgs_subtitle', 'dvb_subtitle', 'xsub'])

/**
 * Which streams of a file become captions: one per language of ours, whole ones before those for hearing-impaired people, and
 * those that translate signs alone (`forced`) last. A stream that names no language, or one that we do not have, is left out.
 */
export function chooseCaptions(streams: readonly CaptionStream[]): ReadonlyMap<Language, CaptionTrack> {
  const chosen = new Map<Language, CaptionTrack>()
  for (const { index, track, codec_name = '', language } of tracksOf(streams)) {
    const format = formats[codec_name]
    if (language && format && !chosen.has(language))
      chosen.set(language, { index, track, format, isConverted: converted.has(codec_name) })
  }
  return chosen
}

/** What of a file's captions can't be shown, and why. A track without a single caption is not worth a note. */
export function noteCaptions(streams: readonly CaptionStream[]): FilmNote[] {
  const filled = tracksOf(streams).filter(({ nb_frames }) => nb_frames !== '0')
  const numbers = (left: typeof filled) => left.map(({ track }) => track).toSorted((a, b) => a - b)
  const isText = ({ codec_name = '' }: CaptionStream) => formats[codec_name] !== undefined
  const arePictures = ({ codec_name = '' }: CaptionStream) => pictures.has(codec_name)
  return [
    ...noteTracks('captionPictures', numbers(filled.filter(arePictures))),
    ...noteTracks('captionTracks', numbers(filled.filter((each) => !isText(each) && !arePictures(each)))),
    ...noteTracks('captionLanguages', numbers(filled.filter((each) => isText(each) && !each.language))),
  ]
}

function tracksOf(streams: readonly CaptionStream[]) {
  return streams
    .filter(({ codec_type }) => codec_type === 'subtitle')
    .map((stream, at) => ({
      ...stream,
      track: at + 1,
      language: languageOfFile(stream.tags?.['language'] ?? ''),
    }))
    .toSorted((a, b) => rankOf(a) - rankOf(b))
}

function rankOf({ disposition }: CaptionStream): number {
  if (disposition?.['forced'] === 1) return 2
  return disposition?.['hearing_impaired'] === 1 ? 1 : 0
}
