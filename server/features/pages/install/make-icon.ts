import { createHash } from 'node:crypto'
import { Refusal } from '#contract/errors.ts'
import { iconLimits } from '#contract/studio/icon.ts'
import { pictureKindOf } from '#server/platform/picture-kind.ts'
import type { Tx } from '#server/tables.ts'
import * as queries from '#server/features/pages/queries.ts'

/** The side of the stored picture, larger than any icon made of it. */
const keptSide = 1024
const mostPixels = 8192 ** 2
const kinds = new Set(['png', 'jpeg', 'webp'])
/** A picture counts as square that is so but for a hundredth. */
const squareEnough = 0.01

/** A picture for the site's icon, and its name. */
export interface IconPicture {
  hash: string
  picture: Buffer
}

/**
 * Makes of a file what the site's icons are drawn of.
 * @throws Refusal iconInvalid if it is not an image, not square or too small
 */
export async function makeIcon(file: Buffer): Promise<IconPicture> {
  if (!kinds.has(pictureKindOf(file) ?? '')) throw invalid()
  // Few processes ever make one: the others need not hold the library.
  const { default: sharp } = await import('sharp')
  const options = { limitInputPixels: mostPixels, failOn: 'error' as const }
  try {
    const { width, height } = await sharp(file, options).metadata()
    const [short, long] = [Math.min(width, height), Math.max(width, height)]
    const isSquare = long - short <= long * squareEnough
    if (!isSquare || short < iconLimits.side) throw invalid()
    const side = Math.min(short, keptSide)
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

/** Keeps the picture instead of the former one; with none, that one is forgotten. */
export async function keepIcon(tx: Tx, icon: IconPicture | undefined): Promise<void> {
  await queries.deleteIcons(tx)
  if (icon) await queries.insertIcon(tx, icon)
}
