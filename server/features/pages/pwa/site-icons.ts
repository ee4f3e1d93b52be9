import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Log } from '#server/platform/log.ts'

/**
 * The icons that browsers and home screens request. `size` is the side in pixels. `share` is the part of the side that
 * the logo fills. `filled` means without transparency.
 */
const variants = {
  '192.png': { size: 192, share: 1, filled: false },
  '512.png': { size: 512, share: 1, filled: false },
  // The system may cut off everything outside a circle of 80 % of the size.
  'maskable.png': { size: 512, share: 0.56, filled: true },
  // iOS shows transparent pixels as black.
  'apple.png': { size: 180, share: 0.76, filled: true },
} as const

const tileShare = 0.9
const transparent = { r: 0, g: 0, b: 0, alpha: 0 }

type IconVariant = keyof typeof variants

export interface SiteIcons {
  /** Returns the logo's address for the header and the browser's tab. */
  logo(): string
  /** Returns the address of an icon. It changes when the logo changes. */
  address(name: IconVariant): string
  /** Draws the icon at an address from `address`, as PNG. Returns undefined for any other address. */
  draw(hash: string, name: string): Promise<Buffer | undefined>
}

interface SiteIconsOptions {
  /** Path of the operator's logo file. Without one, the built-in logo is used. */
  logo: string | undefined
  /** The image uploaded in the studio. It overrides the operator's file and the built-in logo. */
  uploaded: {
    hash(): string | undefined
    load(hash: string): Promise<Buffer | undefined>
    /** Loads the current hash from the settings, in case another process changed the image. */
    refresh(): Promise<void>
  }
  webRoot: string
  /** Returns the background colour of icons without transparency. */
  background(): string
  log: Log
}

/**
 * Creates the site's icons. Each icon is drawn on its first request and then cached. All icons together need less than
 * 100 KB.
 */
export function createSiteIcons({ logo, uploaded, webRoot, background, log }: SiteIconsOptions): SiteIcons {
  const readBuiltInLogo = () => readFileSync(join(webRoot, 'favicon.svg'))
  let file: Buffer | undefined
  const readLogo = () => (file ??= logo === undefined ? readBuiltInLogo() : readFileSync(logo))
  let cached:
    | {
        uploadHash: string | undefined
        hash: string
        rendered: Map<IconVariant, Promise<Buffer | undefined>>
      }
    | undefined
  /** Returns the hash of the current icon and the cache of icons drawn from it. */
  const current = () => {
    const uploadHash = uploaded.hash()
    if (cached && cached.uploadHash === uploadHash) return cached
    const hash = createHash('sha256').update(uploadHash ?? readLogo())
    hash.update(JSON.stringify(variants)).update(background())
    return (cached = { uploadHash, hash: hash.digest('hex').slice(0, 12), rendered: new Map() })
  }
  /** Draws an icon. Returns undefined if the uploaded image was replaced while the icon was drawn. */
  const draw = async (name: IconVariant, uploadHash: string | undefined) => {
    // A failed load is thrown and not cached, so that the next request tries again.
    const upload = uploadHash === undefined ? undefined : await uploaded.load(uploadHash)
    if (uploadHash !== undefined && !upload) return undefined
    try {
      return await drawIcon(upload ?? readLogo(), name, background())
    } catch (error) {
      const source = upload ? 'The uploaded logo' : `SITE_LOGO_PATH ${logo}`
      log.error({ err: error }, `${source} is unusable, so the built-in logo is used`)
      return drawIcon(readBuiltInLogo(), name, background())
    }
  }
  const address = (name: IconVariant) => `/icons/${current().hash}/${name}`
  return {
    address,
    logo: () => (logo === undefined && uploaded.hash() === undefined ? '/favicon.svg' : address('192.png')),
    async draw(hash, name) {
      // The address may contain a newer hash, from a process that has already noticed a new image.
      if (hash !== current().hash) await uploaded.refresh()
      const { uploadHash, hash: currentHash, rendered } = current()
      if (hash !== currentHash || !isVariant(name)) return undefined
      const picture = rendered.get(name) ?? draw(name, uploadHash)
      rendered.set(name, picture)
      picture.catch(() => rendered.delete(name))
      return picture
    },
  }
}

const isVariant = (name: string): name is IconVariant => Object.hasOwn(variants, name)

async function drawIcon(logo: Buffer, name: IconVariant, background: string): Promise<Buffer> {
  // Loaded on demand, because few processes ever draw icons.
  const { default: sharp } = await import('sharp')
  const { size, share, filled } = variants[name]
  const { width = size, height = size } = await sharp(logo).metadata()
  // Renders a vector image at the displayed size. At a density of 72, one unit of the image is one pixel.
  const density = Math.min(2400, Math.max(72, Math.ceil((72 * size) / Math.max(width, height))))
  const draw = (side: number) =>
    sharp(logo, { density }).resize(side, side, { fit: 'contain', background: transparent }).png().toBuffer()
  if (!filled) return draw(size)
  // If the logo is an opaque tile, the canvas gets the tile's colour. Such a logo already has its own margin.
  const edge = { left: size >> 1, top: 0, width: 1, height: 1 }
  const [r, g, b, alpha] = await sharp(await draw(size))
    .ensureAlpha()
    .extract(edge)
    .raw()
    .toBuffer()
  const tile = alpha === 255
  const scaledLogo = await draw(Math.round(size * (tile ? tileShare : share)))
  const canvas = {
    width: size,
    height: size,
    channels: 3 as const,
    background: tile ? { r, g, b } : background,
  }
  return sharp({ create: canvas })
    .composite([{ input: scaledLogo }])
    .png({ compressionLevel: 9 })
    .toBuffer()
}
