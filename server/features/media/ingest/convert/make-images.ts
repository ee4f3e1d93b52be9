import { createHash } from 'node:crypto'
import { readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'
import { uploadLimits } from '#contract/studio/uploads.ts'
import { placeholderCoverPrefix } from '#server/features/catalog/catalog.ts'
import { toLetters } from '#server/platform/ids.ts'
import type { Storage } from '#server/platform/storage/storage.ts'
import { detectImageFormat } from '#server/platform/image-format.ts'
import { UnusableFile } from '#server/features/media/ingest/files/unusable-file.ts'

const posterSide = 720
const thumbSide = 180
/**
 * Shorter side, in pixels, of a still before it is enlarged. An image of this size has too few pixels to recognise a
 * face or text, even after sharpening.
 */
const blurPixels = 14
const stillSide = 180
/** An image of at least this size gives a sharp cover. */
export const coverSize = { width: 600, height: 800 }
/** Maximum number of pixels of a decoded image, about the resolution of phone cameras. */
const maxPixels = 50_000_000

/**
 * Makes an episode's images from the candidate frames in `folder`: `poster.webp` and `thumb.webp` in the same folder,
 * and the blurred `still.webp` in `publicFolder`. Deletes the candidate frames.
 */
export async function makeEpisodeImages(folder: string, publicFolder: string): Promise<void> {
  const frames = (await readdir(folder))
    .filter((name) => /^candidate-\d+\.jpg$/.test(name))
    .toSorted()
    .map((name) => join(folder, name))
  const best = await chooseFrame(frames)
  const poster = await sharp(best)
    .resize(posterSide, posterSide, { fit: 'outside', withoutEnlargement: true })
    .webp({ quality: 78, effort: 2 })
    .toBuffer()
  await Promise.all([
    writeFile(join(folder, 'poster.webp'), poster),
    sharp(best)
      .resize(thumbSide, thumbSide, { fit: 'outside', withoutEnlargement: true })
      .webp({ quality: 72, effort: 3 })
      .toFile(join(folder, 'thumb.webp')),
    makeBlurredStill(best, join(publicFolder, 'still.webp')),
  ])
  await Promise.all(frames.map((frame) => rm(frame)))
}

/**
 * Makes a blurred still. Details are discarded before the image is enlarged and blurred, so they cannot be restored.
 */
async function makeBlurredStill(frame: string, target: string): Promise<void> {
  const pixels = await sharp(frame)
    .resize(blurPixels, blurPixels, { fit: 'outside' })
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true })
  const { width, height } = pixels.info
  await sharp(pixels.data, { raw: { width, height, channels: pixels.info.channels } })
    .resize({ ...(width < height ? { width: stillSide } : { height: stillSide }), kernel: 'cubic' })
    .blur(6)
    .webp({ quality: 60 })
    .toFile(target)
}

/**
 * Returns the first frame that is not black, white or flat. If there is none, returns the frame with the highest
 * contrast.
 */
async function chooseFrame(frames: readonly string[]): Promise<string> {
  let best = { frame: frames[0] ?? '', contrast: -1 }
  for (const frame of frames) {
    const { mean, contrast } = await measureFrame(frame)
    if (mean > 35 && mean < 225 && contrast > 25) return frame
    if (contrast > best.contrast) best = { frame, contrast }
  }
  return best.frame
}

async function measureFrame(frame: string): Promise<{ mean: number; contrast: number }> {
  const grey = await sharp(frame).resize(64, 64, { fit: 'fill' }).greyscale().toBuffer()
  const { channels } = await sharp(grey).stats()
  return { mean: channels[0]?.mean ?? 0, contrast: channels[0]?.stdev ?? 0 }
}

/**
 * A stored cover: its storage key (`path`), and a dark shade of its main colour, which is shown while the cover loads.
 */
export interface Cover {
  path: string
  color: string
  /** True if the image was enlarged because it has fewer pixels than a cover. */
  isSmall: boolean
}

/**
 * Makes a video's public 3:4 cover from an image. Its storage key is a hash of its content, so the same image gives the
 * same key.
 * @param image bytes of an upload, which are checked, or the path of an image that the ingest made
 * @throws UnusableFile if the image is unreadable, of an unsupported type, or too large
 */
export async function makeCover(
  storage: Storage,
  image: string | Buffer,
  { isPlaceholder = false } = {},
): Promise<Cover> {
  if (typeof image !== 'string') checkImage(image)
  const options = { limitInputPixels: maxPixels, failOn: 'error' as const }
  const cover = await sharp(image, options)
    .rotate()
    .resize({ ...coverSize, fit: 'cover', position: 'attention' })
    .webp({ quality: 80, effort: 4 })
    .toBuffer()
    .catch(() => {
      throw new UnusableFile({ key: 'unreadablePicture' })
    })
  const name = toLetters(createHash('sha256').update(cover).digest()).slice(0, 24)
  const path = `${isPlaceholder ? placeholderCoverPrefix : 'public/covers/'}${name}.webp`
  if (!(await storage.exists(path))) await storage.write(path, cover)
  const { dominant } = await sharp(cover).stats()
  return { path, color: darken(dominant), isSmall: await isSmall(image) }
}

/** Returns whether an image, after rotation by its EXIF orientation, must be enlarged to fill a cover. */
async function isSmall(image: string | Buffer): Promise<boolean> {
  const { autoOrient } = await sharp(image, { limitInputPixels: maxPixels }).metadata()
  return autoOrient.width < coverSize.width || autoOrient.height < coverSize.height
}

function checkImage(image: Buffer): void {
  if (image.length > uploadLimits.cover) throw new UnusableFile({ key: 'pictureTooLarge' })
  if (detectImageFormat(image) === undefined) throw new UnusableFile({ key: 'otherPicture' })
}

function darken({ r, g, b }: { r: number; g: number; b: number }): string {
  const scale = Math.min(1, 64 / Math.max(r, g, b, 1))
  return `#${[r, g, b]
    .map((part) =>
      Math.round(part * scale)
        .toString(16)
        .padStart(2, '0'),
    )
    .join('')}`
}
