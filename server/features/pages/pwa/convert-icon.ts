import { createHash } from 'node:crypto'
import { Refusal } from '#contract/errors.ts'
import { iconLimits } from '#contract/studio/site-icon.ts'
import { detectImageFormat } from '#server/platform/image-format.ts'
import type { Tx } from '#server/tables.ts'
import * as queries from '#server/features/pages/page-queries.ts'

/** Maximum side of the stored image in pixels. It is larger than any icon drawn from the image. */
const storedSide = 1024
const maxPixels = 8192 ** 2
const imageTypes = new Set(['png', 'jpeg', 'webp'])
/** Maximum difference between the sides of an image that is considered square, as a share of the longer side. */
const squareTolerance = 0.01

/** A converted image for the site's icon, and the hash of its bytes. */
export interface IconImage {
  hash: string
  picture: Buffer
}

/**
 * Converts an uploaded file to the image from which the site's icons are drawn.
 * @throws Refusal iconInvalid if the file is not an image, not square or too small
 */
export async function convertIcon(file: Buffer): Promise<IconImage> {
  if (!imageTypes.has(detectImageFormat(file) ?? '')) throw invalid()
  // Loaded on demand, because few processes ever convert an icon.
  const { default: sharp } = await import('sharp')
  const options = { limitInputPixels: maxPixels, failOn: 'error' as const }
  try {
    const { width, height } = await sharp(file, options).metadata()
    const [short, long] = [Math.min(width, height), Math.max(width, height)]
    const isSquare = long - short <= long * squareTolerance
    if (!isSquare || short < iconLimits.side) throw invalid()
    const side = Math.min(short, storedSide)
    const picture = await sharp(file, options)
      .rotate()
      .resize(side, side, { fit: 'cover' })
      .png({ compressionLevel: 9 })
      .toBuffer()
    return { hash: createHash('sha256').update(picture).digest('hex').slice(0, 24), picture }
  } catch {
    throw invalid()
  }
}

const invalid = () => new Refusal('iconInvalid')

/** Replaces the stored image, or deletes it if `icon` is undefined. */
export async function replaceIcon(tx: Tx, icon: IconImage | undefined): Promise<void> {
  await queries.deleteIcons(tx)
  if (icon) await queries.insertIcon(tx, icon)
}
