import { UnusableFile } from '#server/features/media/ingest/files/unusable-file.ts'

/**
 * zscale's input options for frames that swscale can't convert: HDR (PQ, HLG), wide primaries, or a matrix unknown to
 * swscale. The values are names of zscale.
 */
export interface WideColours {
  transfer: 'smpte2084' | 'arib-std-b67' | 'iec61966-2-1' | 'bt709'
  primaries: string
  matrix: string
}

/** How to interpret the colour values of a frame. */
export interface SourceColours {
  wide: WideColours | undefined
  /**
   * The matrix, by swscale's names. `rgb` means that the frames are RGB, without a matrix, and `auto` that each frame's
   * own label is used.
   */
  matrix: 'rgb' | 'smpte170m' | 'bt470' | 'smpte240m' | 'fcc' | 'bt709' | 'bt2020' | 'auto'
  /**
   * The range. `auto` means that each frame's own label is used. `stale` means the same, but the pixel format of a frame
   * names another range, so zscale reads the labels.
   */
  range: 'pc' | 'tv' | 'auto' | 'stale'
}

/** ffprobe's fields about a stream's colours. */
export interface ProbedColours {
  pix_fmt?: string
  color_range?: string
  color_space?: string
  color_transfer?: string
  color_primaries?: string
}

const matrices: Record<string, SourceColours['matrix']> = {
  gbr: 'rgb',
  rgb: 'rgb',
  smpte170m: 'smpte170m',
  bt470bg: 'bt470',
  smpte240m: 'smpte240m',
  fcc: 'fcc',
  bt709: 'bt709',
  bt2020nc: 'bt2020',
}
/** Matrices that zscale reads, by ffprobe's names. */
const wideMatrices: Record<string, string> = {
  gbr: 'gbr',
  rgb: 'gbr',
  smpte170m: 'smpte170m',
  bt470bg: 'bt470bg',
  fcc: 'fcc',
  bt709: 'bt709',
  bt2020nc: 'bt2020nc',
  bt2020c: 'bt2020c',
  ycgco: 'ycgco',
  ycocg: 'ycgco',
}
/**
 * Primaries that are converted to those of BT.709. All others are so close to BT.709 that players ignore the
 * difference.
 */
const widePrimaries = ['bt2020', 'smpte431', 'smpte432']
const unlabelled = ['', 'unknown', 'unspecified', 'reserved']
const rgbFormats = /^(gbr|rgb|bgr|argb|abgr|0rgb|0bgr|x2rgb|x2bgr|pal8)/

/**
 * Returns how to interpret the colours of a video of this height. If the label names no matrix, assumes the one that
 * players assume: BT.2020 for HDR, otherwise BT.601 below 720 lines, and BT.709 from 720 lines.
 * @throws UnusableFile if no filter supports the matrix (ICtCp, matrices derived from the primaries)
 */
export function readSourceColours(probed: ProbedColours, height: number): SourceColours {
  const { pix_fmt = '', color_range } = probed
  const isRgb = rgbFormats.test(pix_fmt)
  const label = isRgb ? 'gbr' : matrixOf(probed, height)
  return {
    wide: wideColoursOf(probed, label),
    // The fallback is never used, because zscale converts the colours of any other matrix and swscale then only scales.
    matrix: matrices[label] ?? 'bt709',
    range: isRgb || color_range === 'pc' || pix_fmt.startsWith('yuvj') ? 'pc' : 'tv',
  }
}

/** ffprobe's fields about the colours of a frame, and the frame's height. */
export interface FrameColours extends ProbedColours {
  height: number
}

/**
 * Returns how to interpret the colours of a film whose key frames have these labels. If the labels change in the
 * middle, the scaler reads each frame by its own label. It reads a frame without a label as BT.601. If that is wrong
 * for any frame, the film's own matrix is used for all frames.
 *
 * @param isStale whether frames have a stale format (`hasStaleFormat`) and ffmpeg has zscale, which reads their labels
 * @throws UnusableFile if the scaler can't convert all frames, for example HDR and SDR, or BT.2020 and another matrix
 */
export function combineColours(
  film: SourceColours,
  frames: readonly FrameColours[],
  isStale: boolean,
): SourceColours {
  const isLabelled = ({ color_space = '' }: FrameColours) => !unlabelled.includes(color_space)
  const all = [film, ...frames.map((frame) => readSourceColours(withoutStaleFormat(frame), frame.height))]
  const isMixed = (values: readonly string[]) => new Set(values).size > 1
  const isRangeMixed = isMixed(all.map(({ range }) => range))
  // If no frame has a label, the film's own matrix is used, even if frames of another height would get another matrix.
  const isMatrixMixed = frames.some(isLabelled) && isMixed(all.map(({ matrix }) => matrix))
  // zscale assumes no matrix for a frame without a label.
  const isScalerRight = frames.every(
    (frame) => isLabelled(frame) || (!isStale && matrixOf(frame, frame.height) === 'smpte170m'),
  )
  const isUnsupported =
    isMixed(all.map(({ wide }) => JSON.stringify(wide ?? null))) ||
    (isRangeMixed && film.wide !== undefined) ||
    (isMatrixMixed && all.some(({ matrix }) => matrix === 'bt2020'))
  if (isUnsupported) throw new UnusableFile({ key: 'colourChanges' })
  return {
    wide: film.wide,
    matrix: isMatrixMixed && isScalerRight ? 'auto' : film.matrix,
    range: isStale ? 'stale' : isRangeMixed ? 'auto' : film.range,
  }
}

/**
 * After a change to limited range, the decoder of H.264 still names the pixel format of full range (`yuvj`). The scaler
 * of newer ffmpeg builds believes it, not the label.
 */
export function hasStaleFormat({ pix_fmt = '', color_range }: FrameColours): boolean {
  return color_range === 'tv' && pix_fmt.startsWith('yuvj')
}

function withoutStaleFormat(frame: FrameColours): FrameColours {
  const { pix_fmt = '' } = frame
  return hasStaleFormat(frame) ? { ...frame, pix_fmt: pix_fmt.replace(/^yuvj/, 'yuv') } : frame
}

function matrixOf({ color_space = '', color_primaries, ...probed }: ProbedColours, height: number): string {
  if (!unlabelled.includes(color_space)) return color_space
  if (hdrTransferOf(probed) !== undefined || color_primaries === 'bt2020') return 'bt2020nc'
  return height < 720 ? 'smpte170m' : 'bt709'
}

function wideColoursOf(probed: ProbedColours, label: string): WideColours | undefined {
  const { color_transfer, color_primaries = '' } = probed
  const hdr = hdrTransferOf(probed)
  const isWide = widePrimaries.includes(color_primaries)
  if (hdr === undefined && !isWide && label in matrices) return undefined
  const matrix = wideMatrices[label]
  if (matrix === undefined) throw new UnusableFile({ key: 'colourMatrix', matrix: label })
  const isBt709 = color_primaries === 'bt709' || (hdr === undefined && !isWide)
  return {
    transfer: hdr ?? (color_transfer === 'iec61966-2-1' ? color_transfer : 'bt709'),
    primaries: isBt709 ? 'bt709' : isWide ? color_primaries : 'bt2020',
    matrix,
  }
}

function hdrTransferOf({ color_transfer }: ProbedColours): 'smpte2084' | 'arib-std-b67' | undefined {
  return color_transfer === 'smpte2084' || color_transfer === 'arib-std-b67' ? color_transfer : undefined
}

/** A stream's Dolby Vision configuration, which ffprobe lists in the side data. */
export interface DolbyVision {
  dv_profile?: number
  dv_bl_signal_compatibility_id?: number
}

/**
 * Returns whether only a Dolby Vision decoder can show the video. This applies to profile 5, and to a base layer that
 * is compatible with no other format.
 */
export function isDolbyVisionOnly(sideData: readonly DolbyVision[]): boolean {
  return sideData.some(
    ({ dv_profile, dv_bl_signal_compatibility_id }) =>
      dv_profile !== undefined && (dv_profile === 5 || dv_bl_signal_compatibility_id === 0),
  )
}

/**
 * Target of a frame: a rendition, or a JPEG. Decoders of JPEG assume BT.601. Both targets get limited range, which the
 * JPEG encoder expands.
 */
export type Target = 'video' | 'jpeg'
const matricesOf = {
  video: { swscale: 'bt709', zimg: 'bt709' },
  jpeg: { swscale: 'smpte170m', zimg: '170m' },
}

/**
 * Converts each frame to limited range by its own label. H.264, the only codec with stale formats, has at most 14 bits, so
 * zscale has to convert every frame. If it began with a plain copy, it would copy the later frames too.
 */
const limitRangeFilter = 'zscale=r=limited,format=yuv420p16|yuv422p16|yuv444p16,'

/**
 * Returns the filters for the frames of the source, each followed by a comma. They come before all scalers.
 *
 * Newer ffmpeg builds do not scale frames whose label names a matrix unknown to swscale. So all frames get a known label.
 * It has no effect, because the options of the later filters name the real matrix. Without a label of the primaries and
 * the transfer function, zscale does not convert them.
 */
export function sourceColoursFilter({ wide, matrix, range }: SourceColours): string {
  const labels = [
    ...(matrix === 'rgb' || matrix === 'auto' ? [] : ['colorspace=bt709']),
    ...(wide ? [`color_primaries=${wide.primaries}`, `color_trc=${wide.transfer}`] : []),
  ]
  const relabel = labels.length > 0 ? `setparams=${labels.join(':')},` : ''
  return `${relabel}${range === 'stale' ? limitRangeFilter : ''}`
}

/**
 * Returns the colour options of the scaler, which converts SDR video to the target's matrix and to limited range.
 * Returns none if zscale converts the colours.
 */
export function scaleColourOptions({ wide, matrix, range }: SourceColours, target: Target): string {
  if (wide) return ''
  // Older ffmpeg builds do not accept `auto` as a range. Without the option, they read each frame as `auto` would.
  const readRange = range === 'auto' ? '' : `:in_range=${range === 'stale' ? 'tv' : range}`
  const read = matrix === 'rgb' ? '' : `:in_color_matrix=${matrix}${readRange}`
  return `${read}:out_color_matrix=${matricesOf[target].swscale}:out_range=tv`
}

/**
 * Makes the scaler convert each frame by its own range. If it began with a plain copy, because nothing had to be
 * converted, it would copy the later frames too.
 */
const mixedRangeFilter = ',format=yuv444p,setparams=range=tv'

/**
 * Returns the filters that convert HDR (PQ, HLG), wide primaries and unsupported matrices to BT.709. HDR is tone-mapped
 * with white at 100 cd/m². Highlights up to 1000 cd/m² are compressed, not clipped. Other videos keep their transfer
 * function. Used after scaling, when there are fewer pixels to process.
 */
export function toBt709Filter({ wide, range }: SourceColours, target: Target): string {
  if (!wide) return range === 'auto' ? mixedRangeFilter : ''
  const { transfer, primaries, matrix } = wide
  const isHdr = hdrTransferOf({ color_transfer: transfer }) !== undefined
  const coded = `min=${matrix}:rin=${range === 'pc' ? 'full' : 'limited'}`
  const read = `zscale=tin=${transfer}:pin=${primaries}:${coded}:t=linear:npl=100`
  const toneMap = isHdr ? ',tonemap=tonemap=hable:desat=0:peak=10' : ''
  const write = `zscale=t=${isHdr ? 'bt709' : transfer}:m=${matricesOf[target].zimg}:r=limited`
  return `,${read},format=gbrpf32le,zscale=p=bt709${toneMap},${write}`
}

/**
 * Returns the filter that labels the colours of each frame of a rendition. Newer ffmpeg builds write these labels to
 * the file, older builds write the labels of `bt709Args`.
 */
export function colourLabelFilter(target: Target): string {
  const label = 'setparams=color_primaries=bt709:color_trc=bt709:colorspace=bt709:range=tv'
  return target === 'video' ? `,format=yuv420p,${label}` : ',format=yuv420p'
}

/** Output options that label every rendition as BT.709, whatever the colours of its source were. */
export const bt709Args = [
  '-color_primaries',
  'bt709',
  '-color_trc',
  'bt709',
  '-colorspace',
  'bt709',
  '-color_range',
  'tv',
]
