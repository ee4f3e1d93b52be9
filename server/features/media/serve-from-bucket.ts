import { contentTypeOf } from '#server/platform/content-types.ts'
import type { Log } from '#server/platform/log.ts'
import { createFileCache } from '#server/platform/storage/file-cache.ts'
import type { Delivery, Storage } from '#server/platform/storage/storage.ts'
import { keyUri } from './media-keys.ts'

type LinkDelivery = Exclude<Delivery, { kind: 'files' }>

/** A requested file, whose signature was verified. */
export interface SignedFile {
  signature: string
  asset: string
  /** Path within the asset. */
  file: string
  expires: Date
}

/**
 * Result of a request: the bytes, the URL for a redirect, `missing` if there is no such file, or `unavailable` if the
 * storage is unreachable.
 */
export type Served =
  | { body: Buffer; type: string | undefined }
  | { location: string }
  | 'missing'
  | 'unavailable'

/** Serves files from a bucket. */
export interface BucketFiles {
  media(request: SignedFile): Promise<Served>
  /** Opens a public file: images of a few kilobytes, which the app serves itself. */
  open(file: string): Promise<Served>
}

/** Matches only names that the site generates. So a name cannot be a parent folder or a hidden file. */
const safePath = /^(?:\w[\w-]*(?:\.\w[\w-]*)*\/)*\w[\w-]*(?:\.\w[\w-]*)*$/

/**
 * Serves files from a bucket. The app itself serves playlists, because they contain links with the viewer's signature.
 * It also serves captions, because browsers load tracks only from the page's host. The storage itself serves large
 * files.
 */
export function createBucketFiles(storage: Storage, delivery: LinkDelivery, log: Log): BucketFiles {
  const read = (key: string) => storage.read(key, { interactive: true })
  const cache = createFileCache({ read })
  const serve = async (key: string, load: () => Promise<Buffer>): Promise<Served> => {
    try {
      return { body: await load(), type: contentTypeOf(key) }
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return 'missing'
      log.error({ err: error }, 'A file could not be read from the storage')
      return 'unavailable'
    }
  }
  return {
    async media({ signature, asset, file, expires }) {
      const key = `media/${asset}/${file}`
      if (!safePath.test(key)) return 'missing'
      const link = (name: string) => linkTo(delivery, { signature, asset, file: name, expires })
      if (file.endsWith('.vtt')) return serve(key, () => read(key))
      if (!file.endsWith('.m3u8')) return { location: link(file) }
      const folder = file.slice(0, file.lastIndexOf('/') + 1)
      return serve(key, async () => linkPlaylist(await cache.read(key), (uri) => link(folder + uri)))
    },
    async open(file) {
      const key = `public/${file}`
      return safePath.test(key) ? serve(key, () => cache.read(key)) : 'missing'
    },
  }
}

function linkTo(delivery: LinkDelivery, { signature, asset, file, expires }: SignedFile) {
  return delivery.kind === 'edge'
    ? `${delivery.origin}/media/${signature}/${asset}/${file}`
    : delivery.sign(`media/${asset}/${file}`, expires)
}

/**
 * Replaces the URIs in a playlist with links to the storage. URIs of playlists and of the key remain, because the app
 * serves these files. A URI is on its own line or in an attribute (RFC 8216).
 */
export function linkPlaylist(playlist: Buffer, link: (uri: string) => string): Buffer {
  const linkUri = (uri: string) => (uri.endsWith('.m3u8') || uri === keyUri ? uri : link(uri))
  const lines = playlist
    .toString('utf8')
    .split('\n')
    .map((line) =>
      line.startsWith('#')
        ? line.replace(/URI="([^"]+)"/, (_, uri: string) => `URI="${linkUri(uri)}"`)
        : line.replace(/^\S+$/, linkUri),
    )
  return Buffer.from(lines.join('\n'))
}
