/** A segment as listed in a playlist; `duration` in seconds. */
export interface Segment {
  uri: string
  duration: number
}

/** A segment with its size in bytes. */
export interface MeasuredSegment extends Segment {
  bytes: number
}

export interface Rendition {
  folder: string
  segments: MeasuredSegment[]
  /** Codec string for the CODECS attribute, such as avc1.64001f. */
  codec: string
}

export interface VideoRendition extends Rendition {
  width: number
  height: number
}

/** Parses the segments of a playlist that ffmpeg wrote. */
export function parsePlaylist(text: string): Segment[] {
  return [...text.matchAll(/#EXTINF:([\d.]+),.*\r?\n(?!#)(.+)/g)].map(([, duration, uri = '']) => ({
    uri: uri.trim(),
    duration: Number(duration),
  }))
}

/** Writes a VOD playlist of fMP4 segments; every URI is relative to it. */
export function writePlaylist(segments: readonly Segment[]): string {
  const target = Math.max(1, ...segments.map(({ duration }) => Math.round(duration)))
  return [
    '#EXTM3U',
    '#EXT-X-VERSION:7',
    `#EXT-X-TARGETDURATION:${target}`,
    '#EXT-X-MEDIA-SEQUENCE:0',
    '#EXT-X-PLAYLIST-TYPE:VOD',
    '#EXT-X-INDEPENDENT-SEGMENTS',
    '#EXT-X-MAP:URI="init.mp4"',
    ...segments.flatMap(({ uri, duration }) => [`#EXTINF:${duration.toFixed(6)},`, uri]),
    '#EXT-X-ENDLIST',
    '',
  ].join('\n')
}

/**
 * Measures bit rates in bits per second: the average, and the peak as RFC 8216 defines it. The peak is the highest rate
 * of any consecutive segments that together last between 0.5 and 1.5 times the target duration.
 */
export function measureBitRates(segments: readonly MeasuredSegment[]): { average: number; peak: number } {
  const total = sum(segments.map(({ duration }) => duration))
  const average = (8 * sum(segments.map(({ bytes }) => bytes))) / total
  const target = Math.max(1, ...segments.map(({ duration }) => Math.round(duration)))
  let peak = average
  for (let first = 0; first < segments.length; first++) {
    let bytes = 0
    let duration = 0
    for (const segment of segments.slice(first)) {
      bytes += segment.bytes
      duration += segment.duration
      if (duration > 1.5 * target) break
      if (duration >= 0.5 * target) peak = Math.max(peak, (8 * bytes) / duration)
    }
  }
  return { average: Math.round(average), peak: Math.ceil(peak) }
}

/**
 * Writes a master playlist of measured renditions, in the given order. If `extra` is given, announces that `extra.m3u8`
 * has more renditions, in that codec. `master.m3u8` omits these renditions, because Chromium's native player fails
 * when the codec changes.
 */
export function writeMaster(
  videos: readonly VideoRendition[],
  audio: Rendition | undefined,
  frameRate: number,
  extra?: string,
): string {
  const sound = audio ? measureBitRates(audio.segments) : { average: 0, peak: 0 }
  const lines = ['#EXTM3U', '#EXT-X-VERSION:7', '#EXT-X-INDEPENDENT-SEGMENTS']
  if (extra !== undefined) lines.push(`#EXT-X-SESSION-DATA:DATA-ID="extra.codec",VALUE="${extra}"`)
  if (audio)
    lines.push(
      `#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="Sound",DEFAULT=YES,AUTOSELECT=YES,CHANNELS="2",URI="${audio.folder}/index.m3u8"`,
    )
  for (const video of videos) {
    const rates = measureBitRates(video.segments)
    const attributes = [
      `BANDWIDTH=${rates.peak + sound.peak}`,
      `AVERAGE-BANDWIDTH=${rates.average + sound.average}`,
      `CODECS="${[video.codec, audio?.codec].filter(Boolean).join(',')}"`,
      `RESOLUTION=${video.width}x${video.height}`,
      `FRAME-RATE=${frameRate.toFixed(3)}`,
      ...(audio ? ['AUDIO="a"'] : []),
    ]
    lines.push(`#EXT-X-STREAM-INF:${attributes.join(',')}`, `${video.folder}/index.m3u8`)
  }
  return `${lines.join('\n')}\n`
}

/** Returns the total duration in seconds. */
export function playlistDuration(segments: readonly Segment[]): number {
  return sum(segments.map(({ duration }) => duration))
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
