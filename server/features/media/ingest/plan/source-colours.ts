/** A picture that a usual screen can't show as it is: `pq` and `hlg` are HDR, `wide` has the colours alone. */
export type HighRange = 'pq' | 'hlg' | 'wide'

/** How to read the code values of a picture. */
export interface SourceColours {
  highRange: HighRange | undefined
  /** In the names of swscale; `rgb` is a picture without one. */
  matrix: 'rgb' | 'smpte170m' | 'bt470' | 'smpte240m' | 'fcc' | 'bt709' | 'bt2020'
  isFull: boolean
}

/** What ffprobe says of a stream's colours. */
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
  bt2020c: 'bt2020',
}
const rgbFormats = /^(gbr|rgb|bgr|argb|abgr|0rgb|0bgr|x2rgb|x2bgr|pal8)/

/** The colours of a picture of this height. Without a label the matrix is the one that players assume: BT.601 below 720 lines. */
export function coloursOf(probed: ProbedColours, height: number): SourceColours {
  const { pix_fmt = '', color_range, color_space = '' } = probed
  const guessed = height < 720 ? 'smpte170m' : 'bt709'
  const isRgb = rgbFormats.test(pix_fmt)
  return {
    highRange: highRangeOf(probed),
    matrix: isRgb ? 'rgb' : (matrices[color_space] ?? guessed),
    isFull: isRgb || color_range === 'pc' || pix_fmt.startsWith('yuvj'),
  }
}

function highRangeOf({ color_transfer, color_primaries }: ProbedColours): HighRange | undefined {
  if (color_transfer === 'smpte2084') return 'pq'
  if (color_transfer === 'arib-std-b67') return 'hlg'
  return color_primaries === 'bt2020' ? 'wide' : undefined
}

/** A stream's Dolby Vision configuration, which ffprobe lists in the side data. */
export interface DolbyVision {
  dv_profile?: number
  dv_bl_signal_compatibility_id?: number
}

/** Whether no base layer can be shown on other screens: profile 5, and any that is compatible with none. */
export function isDolbyVisionAlone(sideData: readonly DolbyVision[]): boolean {
  return sideData.some(
    ({ dv_profile, dv_bl_signal_compatibility_id }) =>
      dv_profile !== undefined && (dv_profile === 5 || dv_bl_signal_compatibility_id === 0),
  )
}

/** zimg's names of the three ways to read a picture of a wide range. */
const transfers = { pq: 'smpte2084', hlg: 'arib-std-b67', wide: 'bt709' }

/** What a picture is made for: a rendition, or a JPEG, whose decoders assume BT.601. Its encoder extends the range. */
export type Target = 'video' | 'jpeg'
const matricesOf = {
  video: { swscale: 'bt709', zimg: 'bt709' },
  jpeg: { swscale: 'smpte170m', zimg: '170m' },
}

/** Options of the scaling: it also brings a picture of the usual range to the target's matrix, in limited range. */
export function scaleColours({ highRange, matrix, isFull }: SourceColours, target: Target): string {
  if (highRange) return ''
  const read = matrix === 'rgb' ? '' : `:in_color_matrix=${matrix}:in_range=${isFull ? 'pc' : 'tv'}`
  return `${read}:out_color_matrix=${matricesOf[target].swscale}:out_range=tv`
}

/**
 * Converts HDR (PQ, HLG) and wide colours to BT.709: to linear light with 100 cd/m² as white, the highlights up to 1000 rolled off, never cut.
 * It follows the scaling, when there are fewer pixels to work on.
 */
export function toUsualRange({ highRange, matrix, isFull }: SourceColours, target: Target): string {
  if (!highRange) return ''
  const coded = `${matrix === 'rgb' ? 'min=gbr' : 'min=bt2020nc'}:rin=${isFull ? 'full' : 'limited'}`
  const read = `zscale=tin=${transfers[highRange]}:pin=bt2020:${coded}:t=linear:npl=100`
  const roll = highRange === 'wide' ? '' : ',tonemap=tonemap=hable:desat=0:peak=10'
  const write = `zscale=t=bt709:m=${matricesOf[target].zimg}:r=limited`
  return `,${read},format=gbrpf32le,zscale=p=bt709${roll},${write}`
}

/** Labels every frame of a rendition: newer builds write what the frames say, older ones what the options say. */
export function labelColours(target: Target): string {
  const label = 'setparams=color_primaries=bt709:color_trc=bt709:colorspace=bt709:range=tv'
  return target === 'video' ? `,format=yuv420p,${label}` : ',format=yuv420p'
}

/** The labels of every rendition, whatever its source. */
export const usualColours = [
  '-color_primaries',
  'bt709',
  '-color_trc',
  'bt709',
  '-colorspace',
  'bt709',
  '-color_range',
  'tv',
]
