import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Log } from '#server/platform/log.ts'

/** The pictures that browsers and home screens ask for: their size in pixels, and how much of it the logo takes. */
const pictures = {
  '192.png': { size: 192, share: 1, filled: false },
  '512.png': { size: 512, share: 1, filled: false },
  // Any part outside a circle of 80 % may be cut off.
  'maskable.png': { size: 512, share: 0.56, filled: true },
  // iOS shows transparency as black.
  'apple.png': { size: 180, share: 0.76, filled: true },
} as const

const shareOfTile = 0.9
const transparent = { r: 0, g: 0, b: 0, alpha: 0 }

type Picture = keyof typeof pictures

export interface SiteIcons {
  /** Where the logo is, for the header and the browser's tab. */
  logo(): string
  /** A picture's address, which changes with the logo. */
  address(name: Picture): string
  /** The picture at an address that `address` gave, as PNG; undefined for any other. */
  draw(hash: string, name: string): Promise<Buffer | undefined>
}

interface IconsSetUp {
  /** The operator's file, else the built-in one. */
  logo: string | undefined
  /** The picture that was uploaded in the studio, which overrides both. */
  uploaded: {
    hash(): string | undefined
    load(hash: string): Promise<Buffer | undefined>
    /** Looks whether it is another one by now. */
    refresh(): Promise<void>
  }
  webRoot: string
  /** The colour under a logo that must fill its field. */
  background(): string
  log: Log
}

/** The site's icons, each drawn when it is first asked for and kept: together they weigh less than 100 KB. */
export function createSiteIcons({ logo, uploaded, webRoot, background, log }: IconsSetUp): SiteIcons {
  const own = () => readFileSync(join(webRoot, 'favicon.svg'))
  let file: Buffer | undefined
  const readLogo = () => (file ??= logo === undefined ? own() : readFileSync(logo))
  /** Undefined where the icon has just become another one. */
  const read = async (hash: string | undefined) => (hash === undefined ? readLogo() : uploaded.load(hash))
  let known:
    | { of: string | undefined; hash: string; drawn: Map<Picture, Promise<Buffer | undefined>> }
    | undefined
  /** The icon of now, its hash, and what has been drawn of it. */
  const current = () => {
    const of = uploaded.hash()
    if (known && known.of === of) return known
    const hash = createHash('sha256').update(of ?? readLogo())
    hash.update(JSON.stringify(pictures)).update(background())
    return (known = { of, hash: hash.digest('hex').slice(0, 12), drawn: new Map() })
  }
  const draw = async (name: Picture, of: string | undefined) => {
    try {
      const bytes = await read(of)
      return bytes && (await drawIcon(bytes, name, background()))
    } catch (error) {
      log.error({ err: error }, `SITE_LOGO ${logo} is no picture that can be drawn: our own mark stands in`)
      return drawIcon(own(), name, background())
    }
  }
  const address = (name: Picture) => `/icons/${current().hash}/${name}`
  return {
    address,
    logo: () => (logo === undefined && uploaded.hash() === undefined ? '/favicon.svg' : address('192.png')),
    async draw(hash, name) {
      // Another process may have heard of a new one before this.
      if (hash !== current().hash) await uploaded.refresh()
      const { of, hash: ours, drawn } = current()
      if (hash !== ours || !isPicture(name)) return undefined
      const picture = drawn.get(name) ?? draw(name, of)
      drawn.set(name, picture)
      picture.catch(() => drawn.delete(name))
      return picture
    },
  }
}

const isPicture = (name: string): name is Picture => Object.hasOwn(pictures, name)

async function drawIcon(logo: Buffer, name: Picture, background: string): Promise<Buffer> {
  // Few processes ever draw: the others need not hold the library.
  const { default: sharp } = await import('sharp')
  const { size, share, filled } = pictures[name]
  const { width = size, height = size } = await sharp(logo).metadata()
  // A drawing is made as large as it is shown; 72 is the density at which its own measures are pixels.
  const density = Math.min(2400, Math.max(72, Math.ceil((72 * size) / Math.max(width, height))))
  const draw = (side: number) =>
    sharp(logo, { density }).resize(side, side, { fit: 'contain', background: transparent }).png().toBuffer()
  if (!filled) return draw(size)
  // A logo that is a tile of its own goes on in its own colour, and has its margin already.
  const edge = { left: size >> 1, top: 0, width: 1, height: 1 }
  const [r, g, b, alpha] = await sharp(await draw(size))
    .ensureAlpha()
    .extract(edge)
    .raw()
    .toBuffer()
  const tile = alpha === 255
  const mark = await draw(Math.round(size * (tile ? shareOfTile : share)))
  const field = {
    width: size,
    height: size,
    channels: 3 as const,
    background: tile ? { r, g, b } : background,
  }
  return sharp({ create: field })
    .composite([{ input: mark }])
    .png({ compressionLevel: 9 })
    .toBuffer()
}
